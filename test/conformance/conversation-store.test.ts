import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { AgentStore } from '../../src/agents/agent-store.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Conversation, NewMessage, Turn, TurnKey } from '../../src/conversations/conversation.ts'
import { ConversationStore } from '../../src/conversations/conversation-store.ts'
import { ConversationSweep } from '../../src/conversations/conversation-sweep.ts'
import type { NewTurn } from '../../src/conversations/locked-conversation.ts'
import { TurnStore } from '../../src/conversations/turn-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const firstPage = { page: 1, pageSize: 10 }
let serial = 0

const messageOf = (id: string, content = id): NewMessage => ({
  id,
  dataType: 'text',
  content,
  fileIds: [],
  at: 5,
})

describe('conversation store', () => {
  let opened: TestDatabase
  let store: ConversationStore
  let turns: TurnStore
  let agents: AgentStore
  let id: string
  before(async () => {
    opened = await openTestDatabase()
    store = new ConversationStore(opened.database)
    turns = new TurnStore(opened.database)
    agents = new AgentStore(opened.database)
    await addAgent('agent')
  })
  after(() => opened.cleanup())
  beforeEach(async () => {
    id = await add()
  })

  const addAgent = (name: string, workspaceId = 'w') =>
    agents.add(workspaceId, {
      ...{ id: name, name, intro: '', memory: {}, learn: {}, config: {} },
      ...{ access: 'private', allowedOrigins: [], createdAt: 1, updatedAt: 1 },
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

  const key = (chatId: string, more: Partial<TurnKey> = {}): TurnKey => ({
    ...{ workspaceId: 'w', conversationId: id, chatId },
    ...more,
  })

  const turn = (chatId: string, more: Partial<NewTurn> = {}): NewTurn => ({
    workspaceId: 'w',
    conversationId: id,
    chatId,
    runId: `run_${chatId}`,
    message: messageOf(`msg_${chatId}`),
    fallbackId: `spare_${chatId}`,
    name: 'named',
    ...{ isAnonymous: false, fingerprint: '', reopen: false },
    at: 1000,
    ...more,
  })

  async function finish(chatId: string): Promise<void> {
    assert.equal((await turns.create(turn(chatId))).outcome, 'created')
    await turns.addReply(key(chatId), messageOf(`reply_${chatId}`))
    await turns.end(key(chatId), { status: 'done' })
  }

  const page = async (last: number, limit: number): Promise<string[]> =>
    (await store.messages('w', id, last, limit)).map(message => message.id)

  test('rejects a conversation of a missing agent', async () => {
    await addAgent('gone')
    await agents.remove('w', 'gone', 1)
    for (const agentId of ['gone', 'nobody'])
      assert.equal(
        await store.create('w', { ...(await store.find('w', id))!, id: `conv_${++serial}`, agentId }),
        false,
      )
  })

  test('numbers messages without gaps, so that every page is a range', async () => {
    for (const chatId of ['a', 'b', 'c']) await finish(chatId)
    assert.equal((await store.find('w', id))?.messageCount, 6)
    assert.deepEqual(await page(6, 2), ['msg_c', 'reply_c'])
    assert.deepEqual(await page(5, 3), ['msg_b', 'reply_b', 'msg_c'])
    assert.deepEqual(await page(6, 100), ['msg_a', 'reply_a', 'msg_b', 'reply_b', 'msg_c', 'reply_c'])
    assert.deepEqual(await page(-3, 10), [])
  })

  test('reads a page through the index, whatever the length of the conversation', async () => {
    await finish('a')
    const explain = opened.database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
    const plan = await opened.database.all(
      `${explain} SELECT content FROM messages WHERE workspace_id = 'w' AND conversation_id = '${id}'
       AND position > 0 AND position <= 2 ORDER BY position`,
    )
    assert.match(JSON.stringify(plan), /index/i)
    assert.doesNotMatch(JSON.stringify(plan), /temp b-tree/i)
  })

  test('stores the message and activates the turn in one transaction', async () => {
    const begun = await turns.create(turn('a'))
    assert.ok(begun.outcome === 'created')
    assert.deepEqual([begun.turn.runId, begun.turn.status, begun.turn.firstPosition], ['run_a', 'active', 1])
    const conversation = await store.find('w', id)
    assert.deepEqual([conversation?.activeChatId, conversation?.name], ['a', 'named'])
    const busy = await turns.create(turn('b'))
    assert.ok(busy.outcome === 'busy' && busy.active.chatId === 'a')
    const seen = await turns.create(turn('a'))
    assert.ok(seen.outcome === 'existing' && seen.turn.runId === 'run_a')
    assert.deepEqual(await page(9, 9), ['msg_a'])
  })

  test('creates only one of several concurrent turns', async () => {
    const other = new TurnStore(await opened.openAgain())
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? turns : other).create(turn(`c${at}`))),
    )
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), [...Array(9).fill('busy'), 'created'])
  })

  test('uses the fallback id for a message whose id is taken', async () => {
    await finish('a')
    const begun = await turns.create(turn('b', { message: messageOf('msg_a') }))
    assert.equal(begun.outcome, 'created')
    assert.deepEqual(await page(3, 1), ['spare_b'])
  })

  test('stores a reply once', async () => {
    await turns.create(turn('a'))
    assert.equal(await turns.addReply(key('a'), messageOf('r', 'first')), true)
    assert.equal(await turns.addReply(key('a'), messageOf('r', 'second')), false)
    const stored = (await turns.find(key('a')))!
    assert.deepEqual(
      (await turns.messages(stored)).map(({ content }) => content),
      ['msg_a', 'first'],
    )
    assert.equal((await store.find('w', id))?.messageCount, 2)
  })

  test('ends a turn once, with its last reply, and releases the conversation', async () => {
    await turns.create(turn('a'))
    const error = { reason: 'model_failed', message: 'down' } as const
    const end = { status: 'failed', error, reply: messageOf('sorry'), waitingRunId: null } as const
    assert.equal(await turns.end(key('a'), end), true)
    assert.equal(await turns.end(key('a'), { ...end, status: 'done' }), false)
    const ended = await turns.find(key('a'))
    assert.deepEqual([ended?.status, ended?.error, ended?.lastPosition], ['failed', error, 2])
    assert.equal((await store.find('w', id))?.activeChatId, undefined)
    assert.equal((await turns.create(turn('b'))).outcome, 'created')
  })

  test('directs a turn to the waiting run while there is one', async () => {
    await turns.create(turn('a'))
    await turns.end(key('a'), { status: 'waiting', waitingRunId: 'run_a' })
    const begun = await turns.create(turn('b'))
    assert.ok(begun.outcome === 'created')
    assert.deepEqual([begun.waitingRunId, begun.turn.runId], ['run_a', 'run_a'])
    await turns.setRun(begun.turn, 'run_new', 7)
    const aimed = await turns.find(key('b'))
    assert.deepEqual([aimed?.runId, aimed?.eventsAfter], ['run_new', 7])
    await turns.end(key('b'), { status: 'failed' })
    assert.equal((await store.find('w', id))?.waitingRunId, 'run_a', 'an omitted field stays unchanged')
    await turns.create(turn('c'))
    await turns.end(key('c'), { status: 'done', waitingRunId: null })
    assert.equal((await store.find('w', id))?.waitingRunId, undefined)
  })

  test('stores the options of a question', async () => {
    await turns.create(turn('a'))
    assert.equal((await turns.find(key('a')))?.options, undefined)
    await turns.end(key('a'), { status: 'waiting', options: ['大', 'small'] })
    assert.deepEqual((await turns.find(key('a')))?.options, ['大', 'small'])
  })

  test('finds turns that have been active for a long time', async () => {
    await turns.create(turn('old', { at: 10 }))
    const active = async (before: number) =>
      (await turns.active(before, 100)).filter(({ conversationId }) => conversationId === id)
    assert.deepEqual(
      (await active(11)).map(entry => [entry.workspaceId, entry.chatId]),
      [['w', 'old']],
    )
    assert.deepEqual(await active(10), [])
    await turns.end(key('old'), { status: 'done' })
    assert.deepEqual(await active(11), [])
  })

  test('stores memory values per user', async () => {
    await finish('t')
    const first = new Map<string, unknown>([
      ['a', 1],
      ['b', { c: [null] }],
    ])
    await turns.remember(key('t'), 'ada', first, 1)
    await turns.remember(key('t'), 'ada', new Map([['a', 2]]), 2)
    assert.deepEqual([...(await store.memory('w', id, 'ada'))].sort(), [
      ['a', 2],
      ['b', { c: [null] }],
    ])
    assert.equal((await store.memory('w', id, 'bob')).size, 0)
  })

  test('keeps earlier values of memory only for turns that can be replaced or restored', async () => {
    const kept = async () =>
      (
        await opened.database.all<{ chat: string; value: string | null }>(
          'SELECT chat_id AS chat, value FROM earlier_memory WHERE conversation_id = ? ORDER BY chat_id',
          id,
        )
      ).map(({ chat, value }) => [chat, value])
    const remember = (chatId: string, a: unknown) =>
      turns.remember(key(chatId), 'ada', new Map([['a', a]]), 1)
    await finish('one')
    await remember('one', null)
    await remember('one', 1)
    await finish('two')
    await remember('two', 2)
    assert.deepEqual(await kept(), [
      ['one', null],
      ['two', '1'],
    ])
    for (const [chatId, replaces] of [
      ['uno', 'one'],
      ['une', 'uno'],
    ]) {
      await turns.create(turn(chatId!, { replaces }))
      await remember(chatId!, chatId)
      await turns.end(key(chatId!), { status: 'done' })
    }
    assert.deepEqual(await kept(), [
      ['une', null],
      ['uno', '"uno"'],
    ])
    const count = limits.replacedMessages + 1
    await opened.database.transaction(transaction =>
      transaction.run('UPDATE conversations SET message_count = ? WHERE id = ?', count - 2, id),
    )
    await turns.create(turn('last'))
    await remember('last', 5)
    assert.deepEqual(await kept(), [
      ['last', '"une"'],
      ['une', null],
      ['uno', '"uno"'],
    ])
    await turns.addReply(key('last'), messageOf('reply_last'))
    await remember('last', 6)
    assert.deepEqual(await kept(), [['last', '"une"']])
  })

  test('stores one rating per message, and removes it', async () => {
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

  test('lists by agent, user and keyword, the most recently updated first', async () => {
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
    assert.deepEqual(await ids({ keyword: 'tea', agentIds: ['a_list'], userId: 'ada' }), [one])
    assert.deepEqual(await ids({ keyword: 'coffee', userId: 'ada' }), [])
    await store.rename('l', one, 'Milk')
    assert.deepEqual(await ids({ keyword: 'tea' }), [three])
    await agents.remove('l', 'a_list', 1)
    assert.deepEqual(await ids({}), [three])
    assert.deepEqual(await ids({ keyword: 'coffee' }), [])
  })

  test('finds a conversation only within its workspace', async () => {
    await finish('a')
    const stored = (await turns.find(key('a')))!
    assert.equal(await store.find('v', id), undefined)
    assert.deepEqual(await store.messages('v', id, 9, 9), [])
    assert.equal(await turns.find(key('a', { workspaceId: 'v' })), undefined)
    assert.deepEqual(await turns.messages({ ...stored, workspaceId: 'v' }), [])
    assert.equal((await turns.create(turn('b', { workspaceId: 'v' }))).outcome, 'gone')
    assert.equal(await turns.addReply(key('a', { workspaceId: 'v' }), messageOf('x')), false)
    assert.equal(await turns.end(key('a', { workspaceId: 'v' }), { status: 'done' }), false)
    assert.equal(await store.rename('v', id, 'x'), false)
    assert.equal(await store.rate('v', id, 'reply_a', { rating: 'like', comment: '', at: 1 }), false)
    assert.equal(await store.remove('v', id, 1), undefined)
  })

  test('hides a deleted conversation immediately, and the sweep deletes all its rows', async () => {
    await addAgent('a_swept')
    const kept = id
    await finish('k')
    id = await add({ agentId: 'a_swept' })
    await finish('a')
    await turns.remember(key('a'), 'ada', new Map([['a', 1]]), 1)
    await store.rate('w', id, 'reply_a', { rating: 'like', comment: '', at: 1 })
    await turns.create(turn('b'))
    const deleted = id
    id = await add({ agentId: 'a_swept' })
    await finish('c')
    assert.deepEqual(await store.remove('w', deleted, 5), { activeRunId: 'run_b', waitingRunId: undefined })
    assert.equal(await store.find('w', deleted), undefined)
    assert.equal(await turns.find(key('a', { conversationId: deleted })), undefined)
    assert.equal((await turns.create(turn('z', { conversationId: deleted }))).outcome, 'gone')
    assert.equal(await turns.addReply(key('b', { conversationId: deleted }), messageOf('late')), false)
    await agents.remove('w', 'a_swept', 6)
    assert.equal(await store.find('w', id), undefined)
    while ((await new ConversationSweep(opened.database).sweep()).isMore);
    for (const table of ['messages', 'turns', 'conversation_memory', 'earlier_memory', 'feedback'])
      for (const gone of [deleted, id])
        assert.deepEqual(
          await opened.database.all(`SELECT 1 AS one FROM ${table} WHERE conversation_id = ?`, gone),
          [],
          table,
        )
    assert.deepEqual(await opened.database.all("SELECT 1 AS one FROM agents WHERE id = 'a_swept'"), [])
    assert.equal((await store.find('w', kept))?.messageCount, 2)
    assert.equal((await new ConversationSweep(opened.database).sweep()).isMore, false)
  })

  test('undoes an active turn with its message, unless it has a reply', async () => {
    await finish('a')
    await turns.create(turn('b'))
    assert.equal(await turns.undo(key('b', { workspaceId: 'v' })), false)
    assert.equal(await turns.undo(key('a')), false, 'the turn has ended')
    assert.equal(await turns.undo(key('b')), true)
    assert.equal(await turns.find(key('b')), undefined)
    const after = await store.find('w', id)
    assert.deepEqual([after?.messageCount, after?.activeChatId], [2, undefined])
    assert.deepEqual(await page(10, 10), ['msg_a', 'reply_a'])
    assert.equal((await turns.create(turn('b'))).outcome, 'created')
    await turns.addReply(key('b'), messageOf('reply_b'))
    assert.equal(await turns.undo(key('b')), false)
    assert.equal((await store.find('w', id))?.messageCount, 4)
  })

  test('reopens only a turn that failed as unavailable', async () => {
    const end = (reason: 'unavailable' | 'internal', chatId: string) =>
      turns.end(key(chatId), {
        ...{ status: 'failed', error: { reason, message: 'm' }, reply: messageOf(`failed_${chatId}`) },
      })
    await turns.create(turn('a'))
    await end('internal', 'a')
    assert.equal((await turns.create(turn('a', { reopen: true }))).outcome, 'existing')
    await turns.create(turn('b'))
    await end('unavailable', 'b')
    assert.equal((await turns.create(turn('b'))).outcome, 'existing')
    const again = await turns.create(turn('b', { reopen: true, runId: 'run_new' }))
    assert.ok(again.outcome === 'created')
    const { status, error, runId, firstPosition, lastPosition } = again.turn
    assert.deepEqual(
      [status, error, runId, firstPosition, lastPosition],
      ['active', undefined, 'run_new', 3, 3],
    )
    assert.deepEqual(await page(10, 10), ['msg_a', 'failed_a', 'msg_b'])
    assert.equal((await turns.create(turn('c'))).outcome, 'busy')
  })

  test('pages through active turns, also with equal creation times', async () => {
    const begun = new Set<string>()
    for (let at = 0; at < 7; at++) {
      id = await add()
      begun.add(id)
      await turns.create(turn('same', { at: 3 }))
    }
    const found: string[] = []
    for (let last: Turn | undefined; ; ) {
      const some = await turns.active(4, 3, last)
      found.push(...some.map(({ conversationId }) => conversationId))
      last = some.at(-1)
      if (!last) break
    }
    assert.deepEqual(new Set(found), begun)
    assert.equal(found.length, 7)
  })

  test('stores whether a turn is anonymous, and its fingerprint', async () => {
    await turns.create(turn('a', { isAnonymous: true, fingerprint: 'f' }))
    const kept = await turns.find(key('a'))
    assert.deepEqual([kept?.isAnonymous, kept?.fingerprint], [true, 'f'])
  })

  test('rejects writes to conversations of a deleted agent, and the sweep returns their runs', async () => {
    await addAgent('doomed')
    id = await add({ agentId: 'doomed' })
    await turns.create(turn('a'))
    const waiting = await add({ agentId: 'doomed', waitingRunId: 'run_waits' })
    await agents.remove('w', 'doomed', 9)
    assert.equal(await turns.addReply(key('a'), messageOf('late')), false)
    assert.equal(await turns.end(key('a'), { status: 'done' }), false)
    assert.equal(await turns.find(key('a')), undefined)
    assert.equal((await turns.create(turn('b', { conversationId: waiting }))).outcome, 'gone')
    assert.deepEqual(await orphans(), ['w run_a', 'w run_waits'])
  })

  test('sweeps agents of a deleted workspace like deleted agents', async () => {
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
      const swept = await new ConversationSweep(opened.database).sweep()
      found.push(...swept.orphans.map(({ workspaceId, runId }) => `${workspaceId} ${runId}`))
      isMore = swept.isMore
    }
    return found.sort()
  }
})
