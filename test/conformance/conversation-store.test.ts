import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { SqlAgentStore } from '../../src/adapters/sql/sql-agent-store.ts'
import { SqlConversationStore } from '../../src/adapters/sql/sql-conversation-store.ts'
import type { Conversation, Message } from '../../src/conversations/conversation.ts'
import type { ActiveTurn, NewTurn } from '../../src/conversations/conversation-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const firstPage = { page: 1, pageSize: 10 }
let serial = 0

const said = (id: string, content = id): Omit<Message, 'chatId' | 'role'> => ({
  id,
  dataType: 'text',
  content,
  fileIds: [],
  at: 5,
})

describe('a conversation store', () => {
  let opened: TestDatabase
  let store: SqlConversationStore
  let agents: SqlAgentStore
  let id: string
  before(async () => {
    opened = await openTestDatabase()
    store = new SqlConversationStore(opened.database)
    agents = new SqlAgentStore(opened.database)
    await addAgent('agent')
  })
  after(() => opened.cleanup())
  beforeEach(async () => {
    id = await add()
  })

  const addAgent = (name: string, workspaceId = 'w') =>
    agents.add(workspaceId, {
      ...{ id: name, name, intro: '', memory: {}, learn: {}, config: {} },
      ...{ access: 'private', createdAt: 1, updatedAt: 1 },
    })

  async function add(more: Partial<Conversation> = {}, workspaceId = 'w'): Promise<string> {
    const conversation: Conversation = {
      ...{ id: `conv_${++serial}`, agentId: 'agent', userId: '', envType: '', name: '', messageCount: 0 },
      ...{ activeChatId: undefined, waitingRunId: undefined, createdAt: serial, updatedAt: serial },
      ...more,
    }
    assert.equal(await store.create(workspaceId, conversation), true)
    return conversation.id
  }

  const turn = (chatId: string, more: Partial<NewTurn> = {}): NewTurn => ({
    conversationId: id,
    chatId,
    runId: `run_${chatId}`,
    message: said(`msg_${chatId}`),
    spareId: `spare_${chatId}`,
    name: 'named',
    ...{ isAnonymous: false, fingerprint: '', begunAgain: false },
    at: 1000,
    ...more,
  })

  async function finish(chatId: string): Promise<void> {
    assert.equal((await store.beginTurn('w', turn(chatId))).outcome, 'begun')
    await store.addReply('w', id, chatId, said(`reply_${chatId}`))
    await store.endTurn('w', id, chatId, { status: 'done', at: 1 })
  }

  const page = async (last: number, limit: number): Promise<string[]> =>
    (await store.messages('w', id, last, limit)).map(message => message.id)

  test('needs an agent that is there', async () => {
    await addAgent('gone')
    await agents.remove('w', 'gone', 1)
    for (const agentId of ['gone', 'nobody'])
      assert.equal(
        await store.create('w', { ...(await store.find('w', id))!, id: `conv_${++serial}`, agentId }),
        false,
      )
  })

  test('numbers messages without gaps, so that any page is a range', async () => {
    for (const chatId of ['a', 'b', 'c']) await finish(chatId)
    assert.equal((await store.find('w', id))?.messageCount, 6)
    assert.deepEqual(await page(6, 2), ['msg_c', 'reply_c'])
    assert.deepEqual(await page(5, 3), ['msg_b', 'reply_b', 'msg_c'])
    assert.deepEqual(await page(6, 100), ['msg_a', 'reply_a', 'msg_b', 'reply_b', 'msg_c', 'reply_c'])
    assert.deepEqual(await page(-3, 10), [])
  })

  test('reads a page through the index, however long the conversation is', async () => {
    await finish('a')
    const explain = opened.database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
    const plan = await opened.database.all(
      `${explain} SELECT content FROM messages WHERE workspace_id = 'w' AND conversation_id = '${id}'
       AND position > 0 AND position <= 2 ORDER BY position`,
    )
    assert.match(JSON.stringify(plan), /index/i)
    assert.doesNotMatch(JSON.stringify(plan), /temp b-tree/i)
  })

  test('stores the message and takes the conversation in one', async () => {
    const begun = await store.beginTurn('w', turn('a'))
    assert.ok(begun.outcome === 'begun')
    assert.deepEqual([begun.turn.runId, begun.turn.status, begun.turn.firstPosition], ['run_a', 'active', 1])
    const conversation = await store.find('w', id)
    assert.deepEqual([conversation?.activeChatId, conversation?.name], ['a', 'named'])
    const busy = await store.beginTurn('w', turn('b'))
    assert.ok(busy.outcome === 'busy' && busy.active.chatId === 'a')
    const seen = await store.beginTurn('w', turn('a'))
    assert.ok(seen.outcome === 'seen' && seen.turn.runId === 'run_a')
    assert.deepEqual(await page(9, 9), ['msg_a'])
  })

  test('of many that begin at once, one does', async () => {
    const other = new SqlConversationStore(await opened.openAgain())
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? store : other).beginTurn('w', turn(`c${at}`))),
    )
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['begun', ...Array(9).fill('busy')])
  })

  test('a message id that is taken gives way', async () => {
    await finish('a')
    const begun = await store.beginTurn('w', turn('b', { message: said('msg_a') }))
    assert.equal(begun.outcome, 'begun')
    assert.deepEqual(await page(3, 1), ['spare_b'])
  })

  test('a reply is stored once', async () => {
    await store.beginTurn('w', turn('a'))
    assert.equal(await store.addReply('w', id, 'a', said('r', 'first')), true)
    assert.equal(await store.addReply('w', id, 'a', said('r', 'second')), false)
    const stored = (await store.findTurn('w', id, 'a'))!
    assert.deepEqual(
      (await store.turnMessages('w', stored)).map(({ content }) => content),
      ['msg_a', 'first'],
    )
    assert.equal((await store.find('w', id))?.messageCount, 2)
  })

  test('ends a turn once, with its last word, and frees the conversation', async () => {
    await store.beginTurn('w', turn('a'))
    const error = { reason: 'model_failed', message: 'down' } as const
    const end = { status: 'failed', error, reply: said('sorry'), waitingRunId: null, at: 2 } as const
    assert.equal(await store.endTurn('w', id, 'a', end), true)
    assert.equal(await store.endTurn('w', id, 'a', { ...end, status: 'done' }), false)
    const ended = await store.findTurn('w', id, 'a')
    assert.deepEqual([ended?.status, ended?.error, ended?.lastPosition], ['failed', error, 2])
    assert.equal((await store.find('w', id))?.activeChatId, undefined)
    assert.equal((await store.beginTurn('w', turn('b'))).outcome, 'begun')
  })

  test('a turn goes to the run that waits, until none does', async () => {
    await store.beginTurn('w', turn('a'))
    await store.endTurn('w', id, 'a', { status: 'waiting', waitingRunId: 'run_a', at: 1 })
    const begun = await store.beginTurn('w', turn('b'))
    assert.ok(begun.outcome === 'begun')
    assert.deepEqual([begun.waitingRunId, begun.turn.runId], ['run_a', 'run_a'])
    await store.aimTurn('w', begun.turn, 'run_new', 7)
    const aimed = await store.findTurn('w', id, 'b')
    assert.deepEqual([aimed?.runId, aimed?.eventsAfter], ['run_new', 7])
    await store.endTurn('w', id, 'b', { status: 'failed', at: 1 })
    assert.equal((await store.find('w', id))?.waitingRunId, 'run_a', 'left out, it stays')
    await store.beginTurn('w', turn('c'))
    await store.endTurn('w', id, 'c', { status: 'done', waitingRunId: null, at: 1 })
    assert.equal((await store.find('w', id))?.waitingRunId, undefined)
  })

  test('keeps what a question offers', async () => {
    await finish('a')
    const stored = (await store.findTurn('w', id, 'a'))!
    assert.equal(stored.options, undefined)
    await store.setOptions('w', stored, ['大', 'small'])
    assert.deepEqual((await store.findTurn('w', id, 'a'))?.options, ['大', 'small'])
  })

  test('knows the turns that are active for long', async () => {
    await store.beginTurn('w', turn('old', { at: 10 }))
    const active = async (before: number) =>
      (await store.activeTurns(before, 100)).filter(({ turn: { conversationId } }) => conversationId === id)
    assert.deepEqual(
      (await active(11)).map(entry => [entry.workspaceId, entry.turn.chatId]),
      [['w', 'old']],
    )
    assert.deepEqual(await active(10), [])
    await store.endTurn('w', id, 'old', { status: 'done', at: 1 })
    assert.deepEqual(await active(11), [])
  })

  test('remembers values for each user', async () => {
    await store.remember(
      'w',
      id,
      'ada',
      new Map<string, unknown>([
        ['a', 1],
        ['b', { c: [null] }],
      ]),
      1,
    )
    await store.remember('w', id, 'ada', new Map([['a', 2]]), 2)
    assert.deepEqual([...(await store.memory('w', id, 'ada'))].sort(), [
      ['a', 2],
      ['b', { c: [null] }],
    ])
    assert.equal((await store.memory('w', id, 'bob')).size, 0)
  })

  test('keeps one word on a message, and takes it back', async () => {
    await finish('a')
    const rate = (messageId: string, rating: 'like' | 'dislike' | null, comment = '') =>
      store.rate('w', id, messageId, { rating, comment, at: 1 })
    const words = async () =>
      (
        await opened.database.all<{ rating: string; comment: string }>(
          'SELECT rating, comment FROM feedback WHERE conversation_id = ?',
          id,
        )
      ).map(({ rating, comment }) => [rating, comment])
    assert.equal(await rate('reply_a', 'like'), true)
    assert.equal(await rate('reply_a', 'dislike', 'wrong'), true)
    assert.deepEqual(await words(), [['dislike', 'wrong']])
    assert.equal(await rate('reply_a', null), true)
    assert.deepEqual(await words(), [])
    assert.equal(await rate('nothing', 'like'), false)
  })

  test('lists by agent, user and words, the last changed first', async () => {
    await addAgent('a_list', 'l')
    await addAgent('a_other', 'l')
    const one = await add({ agentId: 'a_list', userId: 'ada', name: 'Tea', updatedAt: 3 }, 'l')
    const two = await add({ agentId: 'a_list', userId: 'bob', name: 'Coffee', updatedAt: 9 }, 'l')
    const three = await add({ agentId: 'a_other', userId: 'ada', name: 'tea too', updatedAt: 6 }, 'l')
    const ids = async (filter: Partial<Parameters<typeof store.list>[1]>) =>
      (await store.list('l', { keyword: '', ...filter }, firstPage)).items.map(item => item.id)
    assert.deepEqual(await ids({}), [two, three, one])
    assert.deepEqual(await ids({ agentIds: ['a_list'] }), [two, one])
    assert.deepEqual(await ids({ agentIds: [] }), [])
    assert.deepEqual(await ids({ userId: 'ada' }), [three, one])
    assert.deepEqual(await ids({ keyword: 'TEA' }), [three, one])
    await store.rename('l', one, 'Milk')
    assert.deepEqual(await ids({ keyword: 'tea' }), [three])
    await agents.remove('l', 'a_list', 1)
    assert.deepEqual(await ids({}), [three])
  })

  test('belongs to its workspace', async () => {
    await finish('a')
    const stored = (await store.findTurn('w', id, 'a'))!
    assert.equal(await store.find('v', id), undefined)
    assert.deepEqual(await store.messages('v', id, 9, 9), [])
    assert.equal(await store.findTurn('v', id, 'a'), undefined)
    assert.deepEqual(await store.turnMessages('v', stored), [])
    assert.equal((await store.beginTurn('v', turn('b'))).outcome, 'gone')
    assert.equal(await store.addReply('v', id, 'a', said('x')), false)
    assert.equal(await store.endTurn('v', id, 'a', { status: 'done', at: 1 }), false)
    assert.equal(await store.rename('v', id, 'x'), false)
    assert.equal(await store.rate('v', id, 'reply_a', { rating: 'like', comment: '', at: 1 }), false)
    assert.equal(await store.remove('v', id, 1), undefined)
  })

  test('what is deleted is out of reach at once and swept to the last row', async () => {
    await addAgent('a_swept')
    const kept = id
    await finish('k')
    id = await add({ agentId: 'a_swept' })
    await finish('a')
    await store.remember('w', id, 'ada', new Map([['a', 1]]), 1)
    await store.rate('w', id, 'reply_a', { rating: 'like', comment: '', at: 1 })
    await store.beginTurn('w', turn('b'))
    const deleted = id
    id = await add({ agentId: 'a_swept' })
    await finish('c')
    assert.deepEqual(await store.remove('w', deleted, 5), { activeRunId: 'run_b', waitingRunId: undefined })
    assert.equal(await store.find('w', deleted), undefined)
    assert.equal(await store.findTurn('w', deleted, 'a'), undefined)
    assert.equal((await store.beginTurn('w', turn('z', { conversationId: deleted }))).outcome, 'gone')
    assert.equal(await store.addReply('w', deleted, 'b', said('late')), false)
    await agents.remove('w', 'a_swept', 6)
    assert.equal(await store.find('w', id), undefined)
    while ((await store.sweep()).isMore);
    for (const table of ['messages', 'turns', 'conversation_memory', 'feedback'])
      for (const gone of [deleted, id])
        assert.deepEqual(
          await opened.database.all(`SELECT 1 AS one FROM ${table} WHERE conversation_id = ?`, gone),
          [],
          table,
        )
    assert.deepEqual(await opened.database.all("SELECT 1 AS one FROM agents WHERE id = 'a_swept'"), [])
    assert.equal((await store.find('w', kept))?.messageCount, 2)
    assert.equal((await store.sweep()).isMore, false)
  })

  test('an active turn is taken back with its message, unless something was said since', async () => {
    await finish('a')
    await store.beginTurn('w', turn('b'))
    assert.equal(await store.undoTurn('v', id, 'b'), false)
    assert.equal(await store.undoTurn('w', id, 'a'), false, 'it has ended')
    assert.equal(await store.undoTurn('w', id, 'b'), true)
    assert.equal(await store.findTurn('w', id, 'b'), undefined)
    const after = await store.find('w', id)
    assert.deepEqual([after?.messageCount, after?.activeChatId], [2, undefined])
    assert.deepEqual(await page(10, 10), ['msg_a', 'reply_a'])
    assert.equal((await store.beginTurn('w', turn('b'))).outcome, 'begun')
    await store.addReply('w', id, 'b', said('reply_b'))
    assert.equal(await store.undoTurn('w', id, 'b'), false)
    assert.equal((await store.find('w', id))?.messageCount, 4)
  })

  test('only a turn that failed as unavailable is begun again', async () => {
    const end = (reason: 'unavailable' | 'internal', chatId: string) =>
      store.endTurn('w', id, chatId, {
        ...{ status: 'failed', at: 1, error: { reason, message: 'm' }, reply: said(`failed_${chatId}`) },
      })
    await store.beginTurn('w', turn('a'))
    await end('internal', 'a')
    assert.equal((await store.beginTurn('w', turn('a', { begunAgain: true }))).outcome, 'seen')
    await store.beginTurn('w', turn('b'))
    await end('unavailable', 'b')
    assert.equal((await store.beginTurn('w', turn('b'))).outcome, 'seen')
    const again = await store.beginTurn('w', turn('b', { begunAgain: true, runId: 'run_new' }))
    assert.ok(again.outcome === 'begun')
    const { status, error, runId, firstPosition, lastPosition } = again.turn
    assert.deepEqual(
      [status, error, runId, firstPosition, lastPosition],
      ['active', undefined, 'run_new', 3, 3],
    )
    assert.deepEqual(await page(10, 10), ['msg_a', 'failed_a', 'msg_b'])
    assert.equal((await store.beginTurn('w', turn('c'))).outcome, 'busy')
  })

  test('active turns are read page by page, those of the same moment too', async () => {
    const begun = new Set<string>()
    for (let at = 0; at < 7; at++) {
      id = await add()
      begun.add(id)
      await store.beginTurn('w', turn('same', { at: 3 }))
    }
    const found: string[] = []
    for (let last: ActiveTurn | undefined; ; ) {
      const some = await store.activeTurns(4, 3, last)
      found.push(...some.map(({ turn: { conversationId } }) => conversationId))
      last = some.at(-1)
      if (!last) break
    }
    assert.deepEqual(new Set(found), begun)
    assert.equal(found.length, 7)
  })

  test('who was anonymous and what was sent under a key is kept with the turn', async () => {
    await store.beginTurn('w', turn('a', { isAnonymous: true, fingerprint: 'f' }))
    const kept = await store.findTurn('w', id, 'a')
    assert.deepEqual([kept?.isAnonymous, kept?.fingerprint], [true, 'f'])
  })

  test('a deleted agent takes nothing more, and the sweep tells which runs work for nobody', async () => {
    await addAgent('doomed')
    id = await add({ agentId: 'doomed' })
    await store.beginTurn('w', turn('a'))
    const waiting = await add({ agentId: 'doomed', waitingRunId: 'run_waits' })
    await agents.remove('w', 'doomed', 9)
    assert.equal(await store.addReply('w', id, 'a', said('late')), false)
    assert.equal(await store.endTurn('w', id, 'a', { status: 'done', at: 1 }), false)
    assert.equal(await store.findTurn('w', id, 'a'), undefined)
    assert.equal((await store.beginTurn('w', turn('b', { conversationId: waiting }))).outcome, 'gone')
    assert.deepEqual(await orphans(), ['w run_a', 'w run_waits'])
  })

  test('agents of a deleted workspace are swept as if they were deleted themselves', async () => {
    const { database } = opened
    await database.transaction(transaction =>
      transaction.run(
        "INSERT INTO workspaces (id, name, created_at, deleted_at) VALUES ('gone', 'gone', 1, 2)",
      ),
    )
    await addAgent('left', 'gone')
    await add({ agentId: 'left', waitingRunId: 'run_left' }, 'gone')
    assert.deepEqual(await orphans(), ['gone run_left'])
    assert.deepEqual(await agents.findMany('gone', ['left']), [])
  })

  async function orphans(): Promise<string[]> {
    const found: string[] = []
    for (let isMore = true; isMore; ) {
      const swept = await store.sweep()
      found.push(...swept.orphans.map(({ workspaceId, runId }) => `${workspaceId} ${runId}`))
      isMore = swept.isMore
    }
    return found.sort()
  }
})
