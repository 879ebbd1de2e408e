import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Conversation } from '../../src/conversations/conversation.ts'
import { type ChatWorld, contents, openChatWorld, workspaceId } from './chat-world.ts'

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

/** As far as a process came that died before it started the run. */
const storeOnly = (chatId: string, replaces?: string) =>
  world.turns.create({
    workspaceId,
    conversationId: conversation.id,
    chatId,
    runId: `run_${chatId}`,
    message: { id: `msg_${chatId}`, dataType: 'text', content: 'lost', fileIds: [], at: 1 },
    fallbackId: 'msg_spare',
    name: '',
    ...{ isAnonymous: false, fingerprint: '', reopen: false, replaces },
    at: world.time.now,
  })

test('a turn without a run counts as interrupted after a minute, and the next one runs', async () => {
  await storeOnly('chat_lost')
  world.time.now += 60_001
  assert.deepEqual(contents(await world.say(conversation, 'next')), ['echo: next'])
  const lost = await world.turns.find({ workspaceId, conversationId: conversation.id, chatId: 'chat_lost' })
  assert.deepEqual([lost?.status, lost?.error?.reason], ['failed', 'unavailable'])
  assert.match((await world.read(conversation))[1]!.content, /interrupted/)
})

test('an interrupted turn that is sent again is reopened with the new message', async () => {
  await storeOnly('chat_again')
  world.time.now += 60_001
  await world.chats.endInterrupted()
  const again = await world.say(conversation, 'found', { chatId: 'chat_again' })
  assert.deepEqual([contents(again), again.error], [['echo: found'], undefined])
  assert.deepEqual(
    (await world.read(conversation)).map(({ content }) => content),
    ['found', 'echo: found'],
  )
  const started = world.runs.started.length
  assert.deepEqual(await world.say(conversation, 'lost', { chatId: 'chat_again' }), again)
  assert.equal(world.runs.started.length, started)
})

test('an interrupted turn that replaced another one is reopened in its place', async () => {
  const first = await world.say(conversation, 'one')
  await storeOnly('chat_edit', first.chatId)
  world.time.now += 60_001
  await world.chats.endInterrupted()
  const again = await world.say(conversation, 'uno', { chatId: 'chat_edit', replaces: first.chatId })
  assert.deepEqual([contents(again), again.error], [['echo: uno'], undefined])
  assert.deepEqual(
    (await world.read(conversation)).map(({ content }) => content),
    ['uno', 'echo: uno'],
  )
})

test('a turn that is reopened after other turns keeps its failure reply', async () => {
  await storeOnly('chat_behind')
  world.time.now += 60_001
  await world.say(conversation, 'next')
  const again = await world.say(conversation, 'lost', { chatId: 'chat_behind' })
  assert.deepEqual([contents(again).at(-1), again.error], ['echo: lost', undefined])
  assert.equal((await world.read(conversation)).length, 5)
})

test('a process that is alone ends all turns of earlier processes at once', async () => {
  const others = []
  for (let at = 0; at < 105; at++) {
    conversation = await world.talk(await world.agent())
    others.push(conversation.id)
    await storeOnly('chat_left')
  }
  world.time.now += 1
  const before = world.time.now
  conversation = await world.talk(await world.agent())
  await storeOnly('chat_young')
  const status = async (id: string, chatId: string) =>
    (await world.turns.find({ workspaceId, conversationId: id, chatId }))?.status
  await world.chats.endInterrupted()
  assert.equal(await status(others[0]!, 'chat_left'), 'active')
  await world.chats.endInterrupted({ before })
  for (const id of others) assert.equal(await status(id, 'chat_left'), 'failed')
  assert.equal(await status(conversation.id, 'chat_young'), 'active')
})

test('active turns do not hide interrupted ones after them', async () => {
  world.runs.script = async () => {}
  for (let at = 0; at < 101; at++) await world.begin(await world.talk(await world.agent()), 'runs')
  world.time.now += 1
  await storeOnly('chat_hidden')
  world.time.now += 60_001
  await world.chats.endInterrupted()
  assert.equal(
    (await world.turns.find({ workspaceId, conversationId: conversation.id, chatId: 'chat_hidden' }))?.status,
    'failed',
  )
})

test('a repeated request gets the interruption as its answer', async () => {
  await storeOnly('chat_again')
  world.time.now += 60_001
  const lost = await world.say(conversation, 'lost', { chatId: 'chat_again' })
  assert.match(contents(lost)[0]!, /interrupted/)
})

test('the background job ends interrupted turns and leaves running and new ones alone', async () => {
  await storeOnly('chat_stuck')
  world.time.now += 60_001
  const other = await world.talk(await world.agent())
  await world.turns.create({
    workspaceId,
    conversationId: other.id,
    chatId: 'chat_fresh',
    runId: 'run_fresh',
    message: { id: 'msg_fresh', dataType: 'text', content: 'fresh', fileIds: [], at: 1 },
    fallbackId: 'msg_spare',
    name: '',
    ...{ isAnonymous: false, fingerprint: '', reopen: false },
    at: world.time.now,
  })
  world.runs.script = async () => {}
  const third = await world.talk(await world.agent())
  await world.begin(third, 'runs', { chatId: 'chat_runs' })
  world.time.now += 30_000
  await world.chats.endInterrupted()
  const status = async (id: string, chatId: string) =>
    (await world.turns.find({ workspaceId, conversationId: id, chatId }))?.status
  assert.equal(await status(conversation.id, 'chat_stuck'), 'failed')
  assert.equal(await status(other.id, 'chat_fresh'), 'active')
  world.time.now += 60_001
  await world.chats.endInterrupted()
  assert.equal(await status(third.id, 'chat_runs'), 'active')
})

test('a waiting run can still be resumed after an interrupted turn', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  await storeOnly('chat_unheard')
  world.time.now += 60_001
  await world.chats.endInterrupted()
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const answer = await world.say(conversation, 'large')
  assert.deepEqual([contents(answer), answer.runId], [['Latte/large'], asked.runId])
})

test('an interrupted answer to a question reaches the waiting run when it is sent again', async () => {
  world.runs.script = run => run.ask('Which size?')
  const asked = await world.say(conversation, 'Latte')
  await storeOnly('chat_again')
  world.time.now += 60_001
  await world.chats.endInterrupted()
  world.runs.script = async run => {
    await run.write(`Latte/${run.reply?.text}`)
    await run.succeed()
  }
  const answer = await world.say(conversation, 'large', { chatId: 'chat_again' })
  assert.deepEqual([contents(answer), answer.runId], [['Latte/large'], asked.runId])
  assert.deepEqual(await world.say(conversation, 'large', { chatId: 'chat_again' }), answer)
})

test('a turn that this process is still starting is not interrupted, however its clock is set', async () => {
  const { runs } = world
  const start = runs.start.bind(runs)
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  runs.start = async (...run) => {
    reached.resolve()
    await gate.promise
    return start(...run)
  }
  try {
    const first = world.say(conversation, 'first', { chatId: 'chat_slow' })
    await reached.promise
    world.time.now += 3_600_000
    await world.chats.endInterrupted()
    await world.chats.endInterrupted({ before: world.time.now })
    gate.resolve()
    assert.deepEqual(contents(await first), ['echo: first'])
  } finally {
    runs.start = start
  }
})
