import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Conversation } from '../../src/conversations/conversation.ts'
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
    await run.recall()
    await run.write('echo: ', run.request.inputs.query)
    await run.succeed()
  }
  conversation = await world.talk(await world.agent())
})

const lastRun = (): ScriptedRun => world.runs.started.at(-1)!

test('repeated notifications are stored once', async () => {
  const first = await world.say(conversation, 'hello', { chatId: 'chat_twice' })
  const run = lastRun()
  const [reply] = first.replies
  await world.listener.messageSent(run.listened, { ...reply!, content: 'something else' })
  await world.listener.settled(run.listened, {
    status: 'failed',
    error: { reason: 'internal', message: 'x' },
  })
  assert.deepEqual(await world.say(conversation, '', { chatId: 'chat_twice' }), first)
  assert.equal((await world.read(conversation)).length, 2)
})

test('a repeated notification of a turn that was replaced meanwhile changes nothing', async () => {
  const first = await world.say(conversation, 'one')
  const replaced = lastRun()
  await world.say(conversation, 'uno', { replaces: first.chatId })
  await world.listener.messageSent(replaced.listened, first.replies[0]!)
  await replaced.remember({ city: 'Rome' })
  assert.deepEqual((await replaced.recall()).memory, {})
  assert.deepEqual(
    (await world.read(conversation)).map(({ content }) => content),
    ['uno', 'echo: uno'],
  )
})

test('a repeated end of an old turn does not end a newer one', async () => {
  await world.say(conversation, 'old')
  const old = lastRun()
  const running = new Promise<ScriptedRun>(resolve => {
    world.runs.script = async run => resolve(run)
  })
  const turn = await world.begin(conversation, 'new')
  const run = await running
  await world.listener.settled(old.listened, { status: 'succeeded', error: undefined })
  const { activeChatId } = await world.conversations.get(workspaceId, conversation.id)
  assert.equal(activeChatId, turn.chatId)
  await run.succeed()
})

test('a run without a conversation is ignored', async () => {
  await world.say(conversation, 'hello')
  const withoutConversation = { ...lastRun().listened, conversationId: '', agentId: '' }
  assert.deepEqual(await world.listener.recall(withoutConversation), { history: [], memory: {} })
  await world.listener.remember(withoutConversation, { a: 1 })
  await world.listener.messageSent(withoutConversation, {
    id: 'msg_x',
    at: 1,
    dataType: 'text',
    content: 'x',
    fileIds: [],
  })
  await world.listener.settled(withoutConversation, { status: 'succeeded', error: undefined })
  assert.equal((await world.read(conversation)).length, 2)
})

test('a run gets the history, with files by name', async () => {
  world.files.add(workspaceId, 'file_note', 'text/plain', 'note.txt')
  conversation = await world.talk(await world.agent({ config: { workflow_id: 'wf' } }))
  await world.say(conversation, 'my name is Ada')
  await world.say(conversation, '', { dataType: 'file', fileIds: ['file_note'] })
  await world.say(conversation, '{"wave":1}', { dataType: 'action' })
  await world.say(conversation, 'what is my name?')
  assert.deepEqual(lastRun().recalled.history, [
    { role: 'user', content: 'my name is Ada' },
    { role: 'assistant', content: 'echo: my name is Ada' },
    {
      role: 'user',
      content: '[note.txt]',
      files: [{ file_id: 'file_note', name: 'note.txt', mime_type: 'text/plain', size: 3 }],
    },
    { role: 'assistant', content: 'echo: ' },
    { role: 'assistant', content: 'echo: ' },
  ])
})

test('the history of a run is limited', async () => {
  const long = 'x'.repeat(30_000)
  world.runs.script = async run => {
    await run.recall()
    await run.succeed()
  }
  for (const content of ['first', long, long, 'last']) await world.say(conversation, content)
  assert.deepEqual(
    lastRun().recalled.history.map(({ content }) => content.length),
    [5, 30_000, 30_000],
  )
  await world.say(conversation, long)
  await world.say(conversation, 'end')
  const { history } = lastRun().recalled
  assert.equal(history.length, 3)
  assert.ok(history.every(({ content }) => content !== 'first'))
})

test('memory holds the defaults of the agent, then the assigned values, per user', async () => {
  const agent = await world.agent({ memory: { city: { default: 'Paris' }, mood: {} } })
  const talk = await world.talk(agent, 'ada')
  world.runs.script = async run => {
    await run.recall()
    await run.remember({ city: 'Rome', list: [1, { a: null }] })
    await run.succeed()
  }
  await world.say(talk, 'one')
  // A name without a default has no value yet, so the default of the workflow applies.
  assert.deepEqual(lastRun().recalled.memory, { city: 'Paris' })
  await world.say(talk, 'two')
  assert.deepEqual(lastRun().recalled.memory, { city: 'Rome', list: [1, { a: null }] })
  await world.say(talk, 'three', { userId: 'bob' })
  assert.equal(lastRun().recalled.memory['city'], 'Paris')
})

test('replaced turns leave the memory as it was before them', async () => {
  conversation = await world.talk(await world.agent({ memory: { count: { default: 0 } } }), 'ada')
  world.runs.script = async run => {
    const { memory } = await run.recall()
    await run.remember({ count: Number(memory['count']) + 1 })
    await run.remember({ [run.request.inputs.query]: [run.request.inputs.query] })
    await run.succeed()
  }
  const memoryOf = async (userId: string) =>
    Object.fromEntries(await world.store.memory(workspaceId, conversation.id, userId))
  await world.say(conversation, 'a')
  await world.say(conversation, 'b', { userId: 'bob' })
  const third = await world.say(conversation, 'c')
  await world.say(conversation, 'd', { userId: 'bob' })
  await world.say(conversation, 'e', { userId: 'cleo' })
  await world.say(conversation, 'a')

  // Three times, because a replaced turn may have replaced others.
  let latest = third.chatId
  for (const content of ['x', 'y', 'z'])
    latest = (await world.say(conversation, content, { replaces: latest })).chatId
  assert.deepEqual(await memoryOf('ada'), { count: 2, a: ['a'], z: ['z'] })
  assert.deepEqual(await memoryOf('bob'), { count: 1, b: ['b'] })
  assert.deepEqual(await memoryOf('cleo'), {})
})

test('a question that is asked again starts with the memory before the run that waits', async () => {
  world.runs.script = async run => {
    await run.recall()
    await run.remember({ drink: run.request.inputs.query })
    await run.ask('Which size?')
  }
  const asked = await world.say(conversation, 'Latte')
  world.runs.script = async run => {
    await run.remember({ size: run.reply?.text })
    await run.succeed()
  }
  await world.say(conversation, 'large')
  world.runs.script = async run => {
    await run.recall()
    await run.succeed()
  }
  await world.say(conversation, 'Mocha', { replaces: asked.chatId })
  assert.deepEqual(lastRun().recalled.memory, {})
})

test('characters that a database cannot store are removed from a reply', async () => {
  world.runs.script = async run => {
    await run.write('a\0b\ud800c')
    await run.succeed()
  }
  assert.deepEqual(contents(await world.say(conversation, 'hello')), ['ab\ufffdc'])
})

test('a deleted conversation accepts no more messages, and its run is stopped', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    world.runs.script = async run => resolve(run)
  })
  const turn = await world.begin(conversation, 'hello')
  const run = await running
  await world.conversations.remove(workspaceId, conversation.id)
  assert.equal(run.record.status, 'stopped')
  await run.write('too late')
  await assert.rejects(turn.answer(world.never), /There is no conversation/)
  await assert.rejects(world.read(conversation), /There is no conversation/)
})
