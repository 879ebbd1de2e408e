import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Conversation } from '../../src/conversations/conversation.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { type ChatWorld, contents, openChatWorld, workspaceId } from './chat-world.ts'

let world: ChatWorld
let conversation: Conversation
before(async () => {
  world = await openChatWorld()
})
after(() => world.close())
beforeEach(async () => {
  world.runs.script = async run => {
    await run.write('echo: ', run.reply?.text ?? run.request.inputs.query)
    await run.succeed()
  }
  conversation = await world.talk(await world.agent())
})

for (const reason of ['rate_limited', 'unavailable'] as const)
  test(`a start that is refused as ${reason} leaves nothing behind, and the same turn can be sent again`, async () => {
    await world.say(conversation, 'before')
    const refusal = new AppError(reason, 'Too much', { headers: { 'retry-after': '2' } })
    world.runs.refusal = refusal
    await assert.rejects(world.say(conversation, 'hello', { chatId: 'chat_z' }), refusal)
    assert.equal((await world.read(conversation)).length, 2)
    assert.equal(
      await world.turns.find({ workspaceId, conversationId: conversation.id, chatId: 'chat_z' }),
      undefined,
    )
    const again = await world.say(conversation, 'hello', { chatId: 'chat_z' })
    assert.deepEqual([contents(again), again.error], [['echo: hello'], undefined])
    assert.equal((await world.read(conversation)).length, 4)
  })

test('a turn that was to be replaced is back when its replacement cannot start', async () => {
  world.runs.script = async run => {
    const { inputs } = run.request
    await run.remember(inputs.query === 'two' ? { latest: 'two', seen: true } : { latest: inputs.query })
    await run.write('echo: ', inputs.query)
    await run.succeed()
  }
  const memory = async () => Object.fromEntries(await world.store.memory(workspaceId, conversation.id, ''))
  const first = await world.say(conversation, 'one')
  await world.say(conversation, 'two')
  world.runs.refusal = new AppError('rate_limited', 'Too much')
  const edit = { chatId: 'chat_edit', replaces: first.chatId }
  await assert.rejects(world.say(conversation, 'uno', edit), world.runs.refusal)
  const contentsNow = async () => (await world.read(conversation)).map(({ content }) => content)
  assert.deepEqual(await contentsNow(), ['one', 'echo: one', 'two', 'echo: two'])
  assert.deepEqual(await memory(), { latest: 'two', seen: true })
  await world.say(conversation, 'uno', edit)
  assert.deepEqual(await contentsNow(), ['uno', 'echo: uno'])
  assert.deepEqual(await memory(), { latest: 'uno' })
})

test('a run keeps waiting when the turn that was to replace it cannot start', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  world.runs.refusal = new AppError('rate_limited', 'Too much')
  const edit = { chatId: 'chat_mocha', replaces: asked.chatId }
  await assert.rejects(world.say(conversation, 'Mocha', edit), world.runs.refusal)
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const answer = await world.say(conversation, 'large')
  assert.deepEqual([contents(answer), answer.runId], [['Latte/large'], asked.runId])
})

test('a turn whose answer met a temporary failure fails, and the next one answers', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  world.runs.script = run => run.reopen({ reason: 'model_failed', message: 'busy' })
  const failed = await world.say(conversation, 'large', { chatId: 'chat_failed' })
  assert.deepEqual(
    [failed.error?.reason, contents(failed), failed.waiting],
    ['model_failed', ['Sorry, this did not work: busy'], undefined],
  )
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  assert.deepEqual(await world.say(conversation, 'large', { chatId: 'chat_failed' }), failed)
  const answer = await world.say(conversation, 'small')
  assert.deepEqual([contents(answer), answer.runId], [['Latte/small'], asked.runId])
})

test('a waiting run keeps waiting when resuming it fails temporarily', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const { resume } = world.runs
  world.runs.resume = () => Promise.reject(new AppError('rate_limited', 'Too much'))
  await assert.rejects(world.say(conversation, 'large', { chatId: 'chat_l' }), { reason: 'rate_limited' })
  world.runs.resume = resume
  const answer = await world.say(conversation, 'large', { chatId: 'chat_l' })
  assert.deepEqual([contents(answer), answer.runId], [['Latte/large'], asked.runId])
})

test('a run that started although the response was lost answers the turn', async () => {
  const { start } = world.runs
  world.runs.start = async (...request) => {
    world.runs.start = start
    await world.runs.start(...request)
    throw new AppError('unavailable', 'The database did not answer')
  }
  assert.deepEqual(contents(await world.say(conversation, 'hello')), ['echo: hello'])
})

test('a client that waits for an undone turn is asked to send it again', async () => {
  await world.turns.create({
    ...{
      workspaceId,
      conversationId: conversation.id,
      chatId: 'chat_back',
      runId: 'run_back',
      fallbackId: 'msg_x',
      name: '',
    },
    ...{ isAnonymous: false, fingerprint: '', reopen: false, at: world.time.now },
    message: { id: 'msg_back', dataType: 'text', content: 'x', fileIds: [], at: 1 },
  })
  const refused = assert.rejects(world.say(conversation, 'x', { chatId: 'chat_back' }), {
    reason: 'unavailable',
  })
  assert.equal(
    await world.turns.undo({ workspaceId, conversationId: conversation.id, chatId: 'chat_back' }),
    true,
  )
  await refused
})

test('a missing workflow is an error of the agent, not of the request', async () => {
  const bound = await world.talk(await world.agent({ config: { workflow_id: 'wf_gone' } }))
  world.runs.refusal = new AppError('not_found', 'There is no workflow wf_gone')
  const { error } = await world.say(bound, 'hello')
  assert.equal(error?.reason, 'workflow_not_runnable')
  assert.match(error.message, /wf_gone/)
})

test('one workspace gets half of the concurrent turns without a token', async () => {
  const few = await openChatWorld({ anonymousTurns: 4 })
  few.runs.script = async () => {}
  const agent = await few.agent()
  const begin = async (isAnonymous: boolean) =>
    few.begin(await few.talk(agent), 'hi', {}, few.chats, few.never, isAnonymous)
  await begin(true)
  await begin(true)
  await assert.rejects(
    begin(true),
    (error: AppError) => error.reason === 'rate_limited' && error.headers['retry-after'] === '2',
  )
  await begin(false)
  await few.runs.started[0]!.succeed()
  await begin(true)
  await few.close()
})
