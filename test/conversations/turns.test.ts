import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ChatService } from '../../src/conversations/chat-service.ts'
import type { Conversation } from '../../src/conversations/conversation.ts'
import type { NewTurn } from '../../src/conversations/locked-conversation.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { type ChatWorld, contents, openChatWorld, workspaceId } from './chat-world.ts'
import type { ScriptedRun } from './scripted-runs.ts'

let world: ChatWorld
let conversation: Conversation
before(async () => {
  world = await openChatWorld()
})
after(() => world.close())
beforeEach(async () => {
  world.runs.script = async run => {
    await run.write('echo: ', run.request.inputs.query)
    await run.succeed()
  }
  conversation = await world.talk(await world.agent())
})

/** A script that begins and then waits for the test. */
function held(): Promise<ScriptedRun> {
  return new Promise(resolve => {
    world.runs.script = async run => resolve(run)
  })
}

const failsWith = (reason: string) => (error: unknown) => error instanceof AppError && error.reason === reason

test('a turn is the message and its replies under one chat id, in order', async () => {
  world.runs.script = async run => {
    await run.write('one')
    await run.say({ dataType: 'action', content: '{"wave":1}', fileIds: [] })
    await run.write('two')
    await run.succeed()
  }
  const answer = await world.say(conversation, 'hello')
  assert.deepEqual(contents(answer), ['one', '{"wave":1}', 'two'])
  const messages = await world.read(conversation)
  assert.deepEqual(
    messages.map(({ role, dataType, content }) => [role, dataType, content]),
    [
      [0, 'text', 'hello'],
      [1, 'text', 'one'],
      [1, 'action', '{"wave":1}'],
      [1, 'text', 'two'],
    ],
  )
  assert.equal(new Set(messages.map(({ chatId }) => chatId)).size, 1)
  assert.equal(new Set(messages.map(({ id }) => id)).size, 4)
})

test('the message is stored before anything runs', async () => {
  const running = held()
  const turn = await world.begin(conversation, 'first of all')
  const run = await running
  assert.deepEqual(
    (await world.read(conversation)).map(({ content }) => content),
    ['first of all'],
  )
  await run.succeed()
  assert.deepEqual(contents(await turn.answer(world.never)), [])
})

test('a known chat id is answered from the record without a run', async () => {
  const first = await world.say(conversation, 'once', { chatId: 'chat_once' })
  const count = world.runs.started.length
  const again = await world.say(conversation, 'something else', { chatId: 'chat_once' })
  assert.deepEqual(again, first)
  assert.equal(world.runs.started.length, count)
  assert.equal((await world.read(conversation)).length, 2)
})

test('a known chat id that is still running is awaited', async () => {
  const running = held()
  const turn = await world.begin(conversation, 'slow', { chatId: 'chat_slow' })
  const again = await world.begin(conversation, 'slow', { chatId: 'chat_slow' })
  const both = Promise.all([turn.answer(world.never), again.answer(world.never)])
  const run = await running
  await run.write('done')
  await run.succeed()
  const [one, two] = await both
  assert.deepEqual(contents(one), ['done'])
  assert.deepEqual(two, one)
})

test('concurrent requests with one chat id run once', async () => {
  const count = world.runs.started.length
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => world.say(conversation, 'same', { chatId: 'chat_same' })),
  )
  assert.equal(world.runs.started.length, count + 1)
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('the same chat id in two conversations is two turns', async () => {
  const other = await world.talk(await world.agent())
  await world.say(conversation, 'here', { chatId: 'chat_both' })
  assert.deepEqual(contents(await world.say(other, 'there', { chatId: 'chat_both' })), ['echo: there'])
})

test('turns of a conversation run sequentially', async () => {
  let working = 0
  let most = 0
  world.runs.script = async run => {
    most = Math.max(most, ++working)
    await run.write(run.request.inputs.query)
    working--
    await run.succeed()
  }
  const said = ['a', 'b', 'c', 'd', 'e', 'f']
  const answers = await Promise.all(said.map(content => world.say(conversation, content)))
  assert.deepEqual(answers.flatMap(contents), said)
  assert.equal(most, 1)
  const messages = await world.read(conversation)
  for (let at = 0; at < messages.length; at += 2)
    assert.deepEqual(
      messages.slice(at, at + 2).map(({ role, content }) => [role, content]),
      [0, 1].map(role => [role, messages[at]!.content]),
    )
})

test('values of input variables that two waiting turns set are both kept', async t => {
  const variables = ['city', 'days'].map(name => ({
    ...{ name, type: 'text' as const, label: name, description: '', required: false },
    ...{ default: null, options: [], max_length: null },
  }))
  t.mock.method(world.runs, 'variables', async () => variables)
  const create = world.turns.create.bind(world.turns)
  let waiting = 0
  t.mock.method(world.turns, 'create', async (turn: NewTurn) => {
    const created = await create(turn)
    if (created.outcome === 'busy') waiting++
    return created
  })
  conversation = await world.talk(await world.agent({ config: { workflow_id: 'wf' } }))
  const running = held()
  await world.begin(conversation, 'first')
  const first = await running
  world.runs.script = run => run.succeed()
  const others = Promise.all([
    world.say(conversation, 'second', { inputs: { city: 'Oslo' } }),
    world.say(conversation, 'third', { inputs: { days: '3' } }),
  ])
  while (waiting < 2) await setImmediate()
  await first.succeed()
  await others
  const kept = { city: 'Oslo', days: '3' }
  assert.deepEqual(await world.store.inputs(workspaceId, conversation.id), kept)
  assert.deepEqual({ ...world.runs.started.at(-1)!.request.inputs.more }, kept)
})

test('a turn that waits too long for the run that asked is rejected and leaves nothing', async () => {
  const impatient = new ChatService({ ...world.parts, turnWaitMilliseconds: 0 })
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  // An editor answers the question of the run, beside the conversation.
  const running = held()
  await world.runs.resume(workspaceId, asked.runId, { text: 'large', files: [], action: '' }, asked.chatId)
  const run = await running
  await assert.rejects(world.say(conversation, 'small', { chatId: 'chat_late' }, impatient), {
    reason: 'version_conflict',
    data: { chat_id: 'chat_late', running_chat_id: asked.chatId },
  })
  assert.equal((await world.read(conversation)).length, 2)
  await run.succeed()
  world.runs.script = next => next.succeed()
  const again = await world.say(conversation, 'small', { chatId: 'chat_late' })
  assert.deepEqual([again.error, again.isStopped], [undefined, false])
})

test('a turn that waits too long for another is rejected and leaves nothing', async () => {
  const impatient = new ChatService({ ...world.parts, turnWaitMilliseconds: 0 })
  const running = held()
  const turn = await world.begin(conversation, 'long')
  const run = await running
  await assert.rejects(world.begin(conversation, 'short', {}, impatient), failsWith('version_conflict'))
  await run.succeed()
  await turn.answer(world.never)
  assert.deepEqual(
    (await world.read(conversation)).map(({ content }) => content),
    ['long'],
  )
})

test('a client that disconnects does not stop the run', async () => {
  const running = held()
  const gone = new AbortController()
  const turn = await world.begin(conversation, 'bye', { chatId: 'chat_bye' })
  const waiting = turn.answer(gone.signal)
  gone.abort(new Error('hung up'))
  await assert.rejects(waiting, /hung up/)
  const run = await running
  await run.write('still here')
  await run.succeed()
  assert.deepEqual(contents(await world.say(conversation, '', { chatId: 'chat_bye' })), ['still here'])
})

test('a failed run stores a reply with the error, in the language of the question', async () => {
  world.runs.script = run => run.fail({ reason: 'model_failed', message: 'The model is down' })
  const english = await world.say(conversation, 'hello')
  assert.deepEqual(english.error, { reason: 'model_failed', message: 'The model is down' })
  assert.deepEqual(contents(english), ['Sorry, this did not work: The model is down'])
  const chinese = await world.say(conversation, '你好', { chatId: 'chat_cn' })
  assert.deepEqual(contents(chinese), ['抱歉，这次没有完成：The model is down'])
  assert.deepEqual(await world.say(conversation, '你好', { chatId: 'chat_cn' }), chinese)
  assert.equal((await world.read(conversation)).length, 4)
})

test('a run that cannot start fails its turn, and the conversation continues', async () => {
  world.runs.refusal = new AppError('workflow_not_runnable', 'It has no input node')
  const answer = await world.say(conversation, 'run!')
  assert.equal(answer.error?.reason, 'workflow_not_runnable')
  assert.deepEqual(contents(answer), ['Sorry, this did not work: It has no input node'])
  assert.deepEqual(contents(await world.say(conversation, 'again')), ['echo: again'])
})

test('an internal error hides its cause, frees the conversation and is thrown for the log', async () => {
  world.runs.refusal = new Error('secret path /srv')
  await assert.rejects(world.say(conversation, 'run!', { chatId: 'chat_fault' }), /secret path/)
  const answer = await world.say(conversation, 'run!', { chatId: 'chat_fault' })
  assert.equal(answer.error?.reason, 'internal')
  assert.doesNotMatch(JSON.stringify(answer), /secret/)
  assert.deepEqual(contents(await world.say(conversation, 'again')), ['echo: again'])
})

test('the messages before a stop are the answer', async () => {
  world.runs.script = async run => {
    await run.write('half')
    await run.stop()
  }
  const answer = await world.say(conversation, 'hello')
  assert.deepEqual([contents(answer), answer.error], [['half'], undefined])
})

test('the next turn resumes a run that asked a question', async () => {
  world.runs.script = run => run.ask('Which size?', ['small', 'large'])
  const asked = await world.say(conversation, 'Latte', { chatId: 'chat_ask' })
  assert.deepEqual(contents(asked), ['Which size?'])
  assert.deepEqual(asked.waiting, { options: ['small', 'large'] })
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const answered = await world.say(conversation, 'large')
  assert.deepEqual(contents(answered), ['Latte/large'])
  assert.equal(answered.waiting, undefined)
  assert.equal(answered.runId, asked.runId)
  assert.deepEqual(
    (await world.read(conversation)).map(({ role }) => role),
    [0, 1, 0, 1],
  )
  assert.deepEqual(await world.say(conversation, '', { chatId: 'chat_ask' }), asked, 'options are kept')
  const next = await world.say(conversation, 'and tea')
  assert.notEqual(next.runId, asked.runId)
})

test('the next turn waits until the waiting run is stored', async () => {
  world.runs.script = async run => {
    run.writeMilliseconds = 100
    await run.ask('Which size?', ['large'])
  }
  const asking = await world.begin(conversation, 'Latte')
  while ((await world.conversations.get(workspaceId, conversation.id)).activeChatId) await setImmediate()
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const answered = await world.say(conversation, 'large')
  assert.deepEqual(contents(answered), ['Latte/large'])
  assert.equal(answered.runId, asking.runId)
})

test('a new run answers when the waiting run is gone', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  world.runs.runs.delete(`${workspaceId} ${asked.runId}`)
  world.runs.script = async run => {
    await run.write(`new: ${run.request.inputs.query}`)
    await run.succeed()
  }
  const answer = await world.say(conversation, 'large')
  assert.deepEqual(contents(answer), ['new: large'])
  assert.notEqual(answer.runId, asked.runId)
})

test('a message id of the client is used once', async () => {
  await world.say(conversation, 'a', { messageId: 'mine' })
  await world.say(conversation, 'b', { messageId: 'mine' })
  const { messageId } = await world.say(conversation, 'c')
  const [a, b, c] = (await world.read(conversation)).filter(({ role }) => role === 0).map(({ id }) => id)
  assert.equal(a, 'mine')
  assert.match(b!, /^msg_/)
  assert.match(c!, /^msg_/)
  assert.equal(messageId, c)
})

test('a timestamp of the client is used unless it is in the future', async () => {
  await world.say(conversation, 'then', { timestamp: 12 })
  assert.equal((await world.read(conversation))[0]?.at, 12)
  const late = world.time.now + 2 * 86_400_000
  await assert.rejects(world.say(conversation, 'x', { timestamp: late }), failsWith('invalid_request'))
})
