import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Reason } from '../../src/contract/error-codes.ts'
import type { Conversation } from '../../src/conversations/conversation.ts'
import type { TurnAnswer } from '../../src/conversations/turn-events.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { type ChatWorld, contents, openChatWorld } from './chat-world.ts'

let world: ChatWorld
let conversation: Conversation
before(async () => {
  world = await openChatWorld()
})
after(() => world.close())
beforeEach(async () => {
  conversation = await world.talk(await world.agent())
})

const secret = 'The language model endpoint http://10.0.0.7/v1 answered 401: check MODEL_API_KEY'

async function sayAs(isAnonymous: boolean, words: string): Promise<TurnAnswer> {
  const turn = await world.begin(conversation, words, {}, world.chats, world.never, isAnonymous)
  return turn.answer(world.never)
}

for (const reason of ['model_failed', 'not_configured', 'search_failed', 'step_failed'] as const)
  test(`${reason} is hidden from anonymous users, who see where its owner finds the reason`, async () => {
    world.runs.script = run => run.fail({ reason, message: secret })
    const anonymous = await sayAs(true, 'hello')
    assert.equal(anonymous.error?.reason, reason)
    assert.match(contents(anonymous)[0]!, new RegExp(`owner can find the reason in run ${anonymous.runId}`))
    assert.doesNotMatch(JSON.stringify([anonymous, await world.read(conversation)]), /MODEL_API_KEY|10\.0/)
    assert.match(contents(await sayAs(true, '你好'))[0]!, /所有者可在运行记录 run_/)
    assert.equal((await sayAs(false, 'hello')).error?.message, secret)
  })

test('the reason of a workflow that cannot run is hidden from anonymous users', async () => {
  world.runs.refusal = new AppError('workflow_not_runnable', 'The node secret_node is missing')
  const { error } = await sayAs(true, 'hello')
  assert.match(error!.message, /its owner can find the reason by chatting with it using a token$/)
})

test('an error without internal details is shown to everyone', async () => {
  const reason: Reason = 'timed_out'
  world.runs.script = run => run.fail({ reason, message: 'It took longer than 20 minutes' })
  assert.equal((await sayAs(true, 'hello')).error?.message, 'It took longer than 20 minutes')
})

test('a failed transcription shows no settings to anonymous users', async () => {
  const transcriber = {
    transcribe: () => Promise.reject(new ModelFailure(secret, { retryable: false })),
  }
  const own = await openChatWorld({ transcriber: async () => transcriber })
  own.files.add('w', 'file_voice', 'audio/mpeg')
  const talk = await own.talk(await own.agent())
  const voice = { dataType: 'voice', fileIds: ['file_voice'] } as const
  const say = (isAnonymous: boolean) => own.begin(talk, '', voice, own.chats, own.never, isAnonymous)
  await assert.rejects(say(true), (error: AppError) => !/MODEL_API_KEY/.test(error.message))
  await assert.rejects(say(false), /MODEL_API_KEY/)
  await own.close()
})

test('a memory key is stored without characters that a database cannot store', async () => {
  world.runs.script = async run => {
    await run.remember({ 'ci\0ty\ud800': 'Paris', '\0': 1 })
    await run.succeed()
  }
  await world.say(conversation, 'I live in Paris')
  world.runs.script = async run => {
    await run.recall()
    await run.succeed()
  }
  await world.say(conversation, 'where?')
  assert.deepEqual(world.runs.started.at(-1)!.recalled.memory, { 'city\ufffd': 'Paris' })
})

test('a very long reply is truncated, with a note', async () => {
  world.runs.script = async run => {
    await run.write('x'.repeat((1 << 20) + 5))
    await run.succeed()
  }
  const [reply] = contents(await world.say(conversation, 'talk'))
  assert.ok(reply!.length < (1 << 20) + 100)
  assert.match(reply!.slice(-100), /Too long/)
})
