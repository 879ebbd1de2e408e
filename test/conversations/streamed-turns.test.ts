import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ChatTurn } from '../../src/conversations/chat-turn.ts'
import type { Conversation } from '../../src/conversations/conversation.ts'
import type { TurnEvent } from '../../src/conversations/turn-events.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { type ChatWorld, contents, openChatWorld, workspaceId } from './chat-world.ts'

type Gate = PromiseWithResolvers<void>

let world: ChatWorld
let conversation: Conversation
before(async () => {
  world = await openChatWorld()
})
after(() => world.close())
beforeEach(async () => {
  world.runs.script = async run => {
    await run.write('one ', 'two ', 'three')
    await run.succeed()
  }
  conversation = await world.talk(await world.agent())
})

async function listen(turn: ChatTurn, from?: number): Promise<TurnEvent[]> {
  const events: TurnEvent[] = []
  for await (const event of turn.events(from, world.never)) events.push(event)
  return events
}

const words = (events: TurnEvent[]): string[] =>
  events.map(event => (event.event === 'delta' ? event.text : event.event))

function assertGrow(events: TurnEvent[]): void {
  const ids = events.map(({ id }) => id)
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  )
}

test('a text is streamed in deltas, followed by the whole answer', async () => {
  const turn = await world.begin(conversation, 'hello')
  const events = await listen(turn)
  assert.deepEqual(words(events), ['one ', 'two ', 'three', 'end'])
  assertGrow(events)
  const end = events.at(-1)!
  assert.ok(end.event === 'end')
  assert.deepEqual(end.answer, await turn.answer(world.never))
  assert.deepEqual(contents(end.answer), ['one two three'])
})

test('other messages are sent whole, and so is a text that was not streamed', async () => {
  world.runs.script = async run => {
    await run.say({ dataType: 'action', content: '{}', fileIds: [] })
    await run.say({ dataType: 'text', content: 'whole', fileIds: [] })
    await run.succeed()
  }
  const events = await listen(await world.begin(conversation, 'hello'))
  assert.deepEqual(words(events), ['message', 'whole', 'end'])
})

test('a new attempt resets the text so far', async () => {
  world.runs.script = async run => {
    run.emit('node.delta', { text: 'bad', message_id: 'msg_a' })
    run.emit('node.delta', { text: '', message_id: 'msg_a', reset: true })
    run.emit('node.delta', { text: 'not said to the user' })
    await run.succeed()
  }
  const events = await listen(await world.begin(conversation, 'hello'))
  assert.deepEqual(
    events.map(event => (event.event === 'delta' ? [event.text, event.reset] : event.event)),
    [['bad', false], ['', true], 'end'],
  )
})

test('a client that reconnects gets the rest, during and after the run', async () => {
  const all = await listen(await world.begin(conversation, 'hello', { chatId: 'chat_back' }))
  const again = await world.begin(conversation, '', { chatId: 'chat_back' })
  assert.deepEqual(await listen(again), all)
  assert.deepEqual(await listen(again, all[1]!.id), all.slice(2))
  assert.deepEqual(words(await listen(again, all.at(-1)!.id)), ['end'])
})

test('a client that reconnects before the run has started gets all of it', async t => {
  const { runs } = world
  const [starts, looks, goes] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate]
  const { start, find } = runs
  t.mock.method(runs, 'start', async (...request: Parameters<typeof start>) => {
    starts.resolve()
    await goes.promise
    return start.apply(runs, request)
  })
  t.mock.method(runs, 'find', (...run: Parameters<typeof find>) => {
    looks.resolve()
    return find.apply(runs, run)
  })
  const first = world.begin(conversation, 'hello', { chatId: 'chat_early' })
  await starts.promise
  const events = listen(await world.begin(conversation, '', { chatId: 'chat_early' }))
  await looks.promise
  goes.resolve()
  assert.deepEqual(words(await events), ['one ', 'two ', 'three', 'end'])
  await first
})

test('the events of several turns of one run are kept apart', async () => {
  world.runs.script = run => run.ask('Which size?', ['large'])
  const first = await world.begin(conversation, 'Latte', { chatId: 'chat_first' })
  const asked = await listen(first)
  assert.deepEqual(words(asked), ['Which size?', 'end'])
  world.runs.script = async run => {
    await run.write('Latte/', 'large')
    await run.succeed()
  }
  const second = await world.begin(conversation, 'large')
  const answered = await listen(second)
  assert.deepEqual(words(answered), ['Latte/', 'large', 'end'])
  assertGrow([...asked, ...answered])
  const again = await world.begin(conversation, '', { chatId: 'chat_first' })
  assert.deepEqual(await listen(again), asked)
  assert.deepEqual(words(await listen(again, asked.at(-1)!.id)), ['end'], 'nothing of the next turn')
})

test('a failure ends the stream with its code', async () => {
  world.runs.refusal = new AppError('workflow_not_runnable', 'No input node')
  const [end, ...more] = await listen(await world.begin(conversation, 'hello'))
  assert.deepEqual(more, [])
  assert.ok(end?.event === 'end' && end.answer.error?.reason === 'workflow_not_runnable')
})

test('a turn whose run was removed is answered from the record', async () => {
  const turn = await world.begin(conversation, 'hello')
  const { runId } = await turn.answer(world.never)
  world.runs.runs.delete(`${workspaceId} ${runId}`)
  const events = await listen(turn)
  assert.deepEqual(words(events), ['end'])
})

test('a client that disconnects ends the stream but not the run', async () => {
  const gone = new AbortController()
  world.runs.script = async run => {
    await run.write('begun')
  }
  const turn = await world.begin(conversation, 'hello')
  const seen: TurnEvent[] = []
  for await (const event of turn.events(undefined, gone.signal)) {
    seen.push(event)
    gone.abort()
  }
  assert.deepEqual(words(seen), ['begun'])
  assert.equal(
    (await world.turns.find({ workspaceId, conversationId: conversation.id, chatId: turn.chatId }))?.status,
    'active',
  )
})
