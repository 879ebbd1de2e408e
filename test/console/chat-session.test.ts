import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { ApiFailure } from '../../console/src/api/api-failure.ts'
import type { ServerEvent } from '../../console/src/api/stream.ts'
import type { ChatApi } from '../../console/src/pages/agents/chat/chat-api.ts'
import { ChatSession } from '../../console/src/pages/agents/chat/chat-session.ts'
import { showMilliseconds } from '../../console/src/pages/agents/chat/chat-state.ts'

type Answer = (chatId: string, lastEventId: string | undefined) => AsyncIterable<ServerEvent>
type Message = Awaited<ReturnType<ChatApi['retrieve']>>[number]

const userMessage = (content: string, id = 'reply') => ({
  ...{ data_type: 'text', content, file_list: [], message_id: id, timestamp: 1 },
})
const end = (content: string, more: object = {}): ServerEvent => ({
  id: '9',
  event: 'end',
  data: { code: 0, run_id: 'run_1', feedback: [userMessage(content)], ...more },
})
const delta = (content: string): ServerEvent => ({
  id: '1',
  event: 'delta',
  data: { code: 0, run_id: 'run_1', feedback: [userMessage(content)] },
})
const answering = (...events: ServerEvent[]): Answer =>
  async function* () {
    yield* events
  }

let answer: Answer
let stored: Message[]
let run: Awaited<ReturnType<ChatApi['run']>>
let calls: string[]
let ids: number

const api: ChatApi = {
  version: async () => [],
  newId: prefix => {
    ids += 1
    return `${prefix}_${ids}`
  },
  create: async () => {
    calls.push('create')
    return 'conv_1'
  },
  retrieve: async (_, limit, offset) => {
    calls.push(`retrieve ${limit} ${offset}`)
    const end = stored.length - offset
    return stored.slice(Math.max(0, end - limit), Math.max(0, end))
  },
  run: async () => run,
  activeRun: async () => 'run_active',
  chat: (conversationId, { chatId }, lastEventId) => {
    calls.push(`chat ${conversationId} ${chatId}`)
    return answer(chatId, lastEventId)
  },
  stop: async runId => calls.push(`stop ${runId}`),
  rate: async (_, messageId, rating, comment) => calls.push(`rate ${messageId} ${rating} ${comment}`),
  pause: async () => undefined,
}

beforeEach(() => {
  answer = answering(delta('Hel'), end('Hello'))
  stored = []
  run = undefined
  calls = []
  ids = 0
})

/** Resolves when the session is in this state. */
function until(session: ChatSession, isSo: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = (): void => {
      if (isSo()) resolve()
    }
    session.subscribe(look)
    look()
  })
}
const lastOf = (session: ChatSession) => session.read().turns.at(-1)
const ended = (session: ChatSession, phase = 'ended') =>
  until(session, () => lastOf(session)?.phase === phase)
const hello = { type: 'text' as const, content: 'Hello', fileIds: [] }

test('the first message creates the conversation, and opening that changes nothing', async () => {
  const session = new ChatSession(api)
  await session.open(undefined)
  assert.equal(await session.send(hello), 'conv_1')
  await session.open('conv_1')
  await ended(session)
  assert.deepEqual(calls, ['create', 'chat conv_1 chat_2'])
  assert.equal(lastOf(session)?.replies[0]?.content, 'Hello')
})

test('one message is sent at a time', async () => {
  const gate = Promise.withResolvers<void>()
  answer = async function* () {
    yield delta('Hel')
    await gate.promise
    yield end('Hello')
  }
  const session = new ChatSession(api)
  await session.send(hello)
  await ended(session, 'answering')
  await session.send(hello)
  assert.equal(session.read().turns.length, 1)
  gate.resolve()
  await ended(session)
})

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ data_type: 'text', content: `m${at}`, file_list: [], message_id: `m${at}`, timestamp: at },
    ...{ role: at % 2 === 0 ? 0 : 1, chat_id: `chat_m${at >> 1}` },
  })) as Message[]

test('older messages are inserted before the others', async () => {
  stored = messages(50)
  const session = new ChatSession(api)
  await session.open('conv_1')
  assert.equal(session.read().hasOlder, true)
  await Promise.all([session.loadOlder(), session.loadOlder()])
  assert.deepEqual(calls, ['retrieve 30 0', 'retrieve 30 30'])
  const { turns, hasOlder } = session.read()
  assert.deepEqual([turns.length, turns[0]?.userMessage?.content, hasOlder], [25, 'm0', false])
})

for (const phase of ['answering', 'failed'])
  test(`no older message is left out while a turn that is not stored is ${phase}`, async () => {
    stored = messages(50)
    const gate = Promise.withResolvers<void>()
    answer = async function* () {
      if (phase === 'failed') throw new ApiFailure('Too many', { reason: 'rate_limited' })
      yield delta('Hel')
      await gate.promise
      yield end('Hello')
    }
    const session = new ChatSession(api)
    await session.open('conv_1')
    await session.send(hello)
    await ended(session, phase)
    await session.loadOlder()
    const shown = session.read().turns.flatMap(turn => [turn.userMessage!, ...turn.replies])
    assert.deepEqual(
      shown.slice(0, 50).map(({ id }) => id),
      stored.map(({ message_id }) => message_id),
    )
    gate.resolve()
  })

const stored1 = (): Message[] => [
  {
    ...{ data_type: 'text', content: 'Hello', file_list: [], message_id: 'm1', timestamp: 1, role: 0 },
    ...{ chat_id: 'chat_a', run_id: 'run_1' },
  },
]
const noWait = { waiting: null, error: null, chat_id: 'chat_a' }

test('an answer in progress is resumed', async () => {
  stored = stored1()
  run = { ...noWait, status: 'running' }
  const session = new ChatSession(api)
  await session.open('conv_1')
  await ended(session)
  await until(session, () => lastOf(session)?.replies.length === 1)
  assert.deepEqual(calls, ['retrieve 30 0', 'chat conv_1 chat_a'])
})

test('a read-only user sees that an answer is in progress, and then the answer', async () => {
  stored = stored1()
  run = { ...noWait, status: 'running' }
  let looks = 0
  const pause = async (): Promise<void> => {
    looks += 1
    if (looks === 2) stored.push({ ...stored1()[0]!, role: 1, message_id: 'm2', content: 'Hi' })
    if (looks === 4) run = { ...noWait, status: 'succeeded' }
  }
  // The second poll fails, which may happen.
  const failing = async () =>
    looks === 2 ? Promise.reject(new ApiFailure('Down', { reason: 'unavailable' })) : run
  const reader = new ChatSession({ ...api, pause, run: failing })
  await reader.open('conv_1', { canTalk: false })
  assert.equal(lastOf(reader)?.phase, 'answering')
  await ended(reader)
  assert.deepEqual([looks, lastOf(reader)?.replies[0]?.content], [4, 'Hi'])
  assert.ok(calls.every(call => call === 'retrieve 30 0'))
})

test('messages are shown although their run cannot be loaded', async () => {
  stored = stored1()
  const session = new ChatSession({
    ...api,
    run: () => Promise.reject(new ApiFailure('Down', { reason: 'unavailable' })),
  })
  await session.open('conv_1')
  const { turns, loadError, isLoading } = session.read()
  assert.deepEqual([turns.length, loadError, isLoading], [1, undefined, false])
})

test('nothing is sent while the conversation is loading', async () => {
  stored = stored1()
  const session = new ChatSession(api)
  const opening = session.open('conv_1')
  await session.send(hello)
  await opening
  assert.deepEqual(calls, ['retrieve 30 0'])
  assert.equal(session.read().turns.length, 1)
})

test('the first message is sent although the user switches before its conversation is created', async () => {
  stored = stored1()
  const made = Promise.withResolvers<string>()
  const session = new ChatSession({ ...api, create: () => made.promise })
  const sending = session.send(hello)
  await session.open('conv_2')
  made.resolve('conv_1')
  assert.equal(await sending, undefined)
  assert.deepEqual(calls, ['retrieve 30 0', 'chat conv_1 chat_2'])
  const { conversationId, turns } = session.read()
  assert.deepEqual([conversationId, turns.length], ['conv_2', 1])
})

test('a long answer is rendered less often while it grows', () => {
  const turn = (length: number, phase: 'answering' | 'ended') => ({
    ...{ chatId: 'c', runId: undefined, userMessage: undefined, phase },
    replies: [{ id: 'r', type: 'text' as const, content: 'x'.repeat(length), fileIds: [], at: 1 }],
  })
  assert.ok(showMilliseconds(turn(100, 'answering')) < 60)
  assert.ok(showMilliseconds(turn(50_000, 'answering')) > 500)
  assert.ok(showMilliseconds(turn(10_000_000, 'answering')) <= 2000)
  assert.equal(showMilliseconds(turn(50_000, 'ended')), showMilliseconds(undefined))
})

test('a waiting question offers its options again, until it is answered', async () => {
  stored = stored1()
  run = { ...noWait, status: 'waiting', waiting: { node_id: 'q', question: 'Size?', options: ['small'] } }
  const session = new ChatSession(api)
  await session.open('conv_1')
  assert.deepEqual(lastOf(session)?.options, ['small'])
  await session.send({ ...hello, content: 'small' })
  assert.equal(session.read().turns[0]?.options, undefined)
})

test('a turn stored as failed is sent as a new one; one that never arrived keeps its id', async () => {
  const session = new ChatSession(api)
  answer = answering(end('Sorry', { code: 50201, msg: 'Down', reason: 'model_failed' }))
  await session.send(hello)
  await ended(session, 'failed')
  answer = async function* () {
    yield* []
    throw new ApiFailure('Too many', { reason: 'rate_limited' })
  }
  await session.sendAgain(lastOf(session)!)
  await ended(session, 'failed')
  assert.equal(session.read().turns.length, 2)
  answer = answering(end('Hello'))
  await session.sendAgain(lastOf(session)!)
  await ended(session)
  assert.deepEqual(calls, ['create', 'chat conv_1 chat_2', 'chat conv_1 chat_4', 'chat conv_1 chat_4'])
})

test('an answer that has not started is stopped by finding its run', async () => {
  const gate = Promise.withResolvers<void>()
  answer = async function* () {
    await gate.promise
    yield end('')
  }
  const session = new ChatSession(api)
  await session.send(hello)
  await session.stop()
  assert.equal(calls.at(-1), 'stop run_active')
  gate.resolve()
  await ended(session)
  await session.stop()
  assert.equal(calls.at(-1), 'stop run_active')
})

test('a rating is kept with its message', async () => {
  const session = new ChatSession(api)
  await session.send(hello)
  await ended(session)
  await session.rate('reply', 'dislike', 'too short')
  assert.equal(calls.at(-1), 'rate reply dislike too short')
  assert.equal(lastOf(session)?.replies[0]?.rating, 'dislike')
})

test('a rating is shown before it is stored, and ratings of a message are stored in order', async () => {
  const gate = Promise.withResolvers<void>()
  const rate: ChatApi['rate'] = async (...all) => {
    await gate.promise
    return api.rate(...all)
  }
  const session = new ChatSession({ ...api, rate })
  await session.send(hello)
  await ended(session)
  const ratingShown = () => lastOf(session)?.replies[0]?.rating
  const first = session.rate('reply', 'like')
  assert.equal(ratingShown(), 'like')
  const second = session.rate('reply', null)
  assert.equal(ratingShown(), undefined)
  gate.resolve()
  await Promise.all([first, second])
  assert.deepEqual(calls.slice(-2), ['rate reply like ', 'rate reply null '])
  assert.equal(ratingShown(), undefined)
})

test('a rating that cannot be stored is replaced by the one that is stored', async () => {
  const refused: (string | null)[] = ['dislike', null]
  const rate: ChatApi['rate'] = async (...all) => {
    if (refused.includes(all[2])) throw new ApiFailure('Too many', { reason: 'rate_limited' })
    return api.rate(...all)
  }
  const session = new ChatSession({ ...api, rate })
  await session.send(hello)
  await ended(session)
  const ratings = ['like', 'dislike', null] as const
  const results = await Promise.allSettled(ratings.map(rating => session.rate('reply', rating)))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  assert.equal(lastOf(session)?.replies[0]?.rating, 'like')
})

test('a conversation that cannot be loaded shows the error, and can be retried', async () => {
  const failing = { ...api, retrieve: () => Promise.reject(new ApiFailure('Gone', { reason: 'not_found' })) }
  const session = new ChatSession(failing)
  await session.open('conv_1')
  assert.ok(session.read().loadError instanceof ApiFailure)
  Object.assign(failing, { retrieve: api.retrieve })
  await session.open('conv_1')
  assert.equal(session.read().loadError, undefined)
})

test('a conversation that was created for a file is used without loading it', async () => {
  const session = new ChatSession(api)
  await session.open(undefined)
  session.begin('conv_file')
  const { conversationId, isLoading } = session.read()
  assert.deepEqual({ conversationId, isLoading }, { conversationId: 'conv_file', isLoading: false })
  session.begin('conv_late')
  assert.equal(session.read().conversationId, 'conv_file', 'the conversation that is shown stays')
  assert.deepEqual(calls, [])
})
