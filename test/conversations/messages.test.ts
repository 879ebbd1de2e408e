import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ChatService } from '../../src/conversations/chat-service.ts'
import type { Conversation } from '../../src/conversations/conversation.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { type ChatWorld, openChatWorld, workspaceId } from './chat-world.ts'

let world: ChatWorld
let conversation: Conversation
before(async () => {
  world = await openChatWorld()
  world.files.add(workspaceId, 'file_text', 'text/plain', 'note.txt')
  world.files.add(workspaceId, 'file_image', 'image/png')
  world.files.add(workspaceId, 'file_voice', 'audio/mpeg')
  world.files.add('other', 'file_foreign', 'image/png')
})
after(() => world.close())
beforeEach(async () => {
  conversation = await world.talk(await world.agent())
})

const refusal =
  (reason: string, words: RegExp) =>
  (error: unknown): boolean =>
    error instanceof AppError &&
    error.reason === reason &&
    words.test(`${error.message} ${JSON.stringify(error.errors)}`)

const inputs = () => world.runs.started.at(-1)!.request.inputs

test('a text is the query of the run, an action its action', async () => {
  await world.say(conversation, 'hello')
  assert.deepEqual([inputs().query, inputs().action, inputs().files], ['hello', '', []])
  const bound = await world.talk(await world.agent({ config: { workflow_id: 'wf' } }))
  await world.say(bound, '{"wave":1}', { dataType: 'action' })
  assert.deepEqual([inputs().query, inputs().action], ['', '{"wave":1}'])
})

test('an action is rejected without a workflow, and nothing is stored', async () => {
  const started = world.runs.started.length
  await assert.rejects(
    world.say(conversation, '{"wave":1}', { dataType: 'action' }),
    refusal('unsupported_media_type', /Only agents with a workflow accept actions/),
  )
  assert.deepEqual([await world.read(conversation), world.runs.started.length], [[], started])
})

test('files are passed with names and types, with or without a text', async () => {
  await world.say(conversation, 'look', { dataType: 'image', fileIds: ['file_image'] })
  assert.deepEqual(inputs().files, [
    { file_id: 'file_image', name: 'file_image.bin', mime_type: 'image/png', size: 3 },
  ])
  assert.equal(inputs().query, 'look')
  assert.deepEqual((await world.read(conversation))[0]?.fileIds, ['file_image'])
})

test('the error names the missing object, and nothing is stored', async () => {
  const attempts = [
    [{ dataType: 'text' }, 'invalid_request', /\/content/],
    [{ dataType: 'action' }, 'invalid_request', /\/content/],
    [{ dataType: 'file' }, 'invalid_request', /\/file_list/],
    [
      { dataType: 'image', fileIds: ['file_image', 'file_nope'] },
      'invalid_request',
      /file_list\/1.*file_nope/,
    ],
    [{ dataType: 'image', fileIds: ['file_foreign'] }, 'invalid_request', /file_list\/0.*file_foreign/],
    [{ dataType: 'image', fileIds: ['file_text'] }, 'invalid_request', /file_list\/0.*text\/plain/],
    [{ dataType: 'video', fileIds: ['file_image'] }, 'unsupported_media_type', /video/],
    [
      { dataType: 'voice', fileIds: ['file_voice'] },
      'unsupported_media_type',
      /TRANSCRIBE_BASE_URL.*TRANSCRIBE_MODEL/,
    ],
  ] as const
  for (const [request, reason, words] of attempts)
    await assert.rejects(
      world.say(conversation, '', request),
      refusal(reason, words),
      JSON.stringify(request),
    )
  assert.deepEqual(await world.read(conversation), [])
})

test('a recording is transcribed; the transcript is stored and passed to the run', async () => {
  const heard: string[] = []
  const transcriber = {
    transcribe: async ({ bytes }: { bytes: Uint8Array }) => {
      heard.push(Buffer.from(bytes).toString())
      return ' what time is it \n'
    },
  }
  const chats = new ChatService({ ...world.parts, transcriber: async () => transcriber })
  const request = { dataType: 'voice', fileIds: ['file_voice'], chatId: 'chat_voice' } as const
  await world.say(conversation, '', request, chats)
  await world.say(conversation, '', request, chats)
  assert.deepEqual(heard, ['file_voice'], 'a turn of before is not heard again')
  assert.equal(inputs().query, 'what time is it')
  const [message] = await world.read(conversation)
  assert.deepEqual(
    [message?.dataType, message?.content, message?.fileIds],
    ['voice', 'what time is it', ['file_voice']],
  )
})

test('a stored recording that is sent again has its transcript once', async () => {
  const transcriber = { transcribe: async () => 'hello there' }
  const chats = new ChatService({ ...world.parts, transcriber: async () => transcriber })
  const request = { dataType: 'voice', fileIds: ['file_voice'], chatId: 'chat_voice' } as const
  await world.say(conversation, 'Summarize', { ...request, fingerprint: 'as sent' }, chats)
  const { content } = (await world.read(conversation))[0]!
  const started = world.runs.started.length
  await world.say(conversation, content, { ...request, fingerprint: 'as stored' }, chats)
  assert.equal(world.runs.started.length, started, 'the turn is resumed')
  await world.say(conversation, content, { ...request, chatId: 'chat_b', replaces: 'chat_voice' }, chats)
  assert.equal(inputs().query, 'hello there\nSummarize')
})

test('a failed transcription fails the request', async () => {
  const transcriber = {
    transcribe: async (): Promise<string> => {
      throw new ModelFailure('The service is down', { retryable: true })
    },
  }
  const chats = new ChatService({ ...world.parts, transcriber: async () => transcriber })
  await assert.rejects(
    world.say(conversation, '', { dataType: 'voice', fileIds: ['file_voice'] }, chats),
    refusal('model_failed', /The service is down/),
  )
})

test('the first message names the conversation', async () => {
  await world.say(conversation, `  What is\nthe secret ${'word '.repeat(30)}`)
  await world.say(conversation, 'something else')
  const { name } = await world.conversations.get(workspaceId, conversation.id)
  assert.match(name, /^What is the secret word/)
  assert.ok([...name].length <= 50)
})

test('an agent runs its workflow, or the graph of its persona', async () => {
  const bound = await world.talk(await world.agent({ config: { workflow_id: 'wf_x' } }))
  await world.say(bound, 'hello')
  assert.deepEqual(world.runs.started.at(-1)!.request.target, { workflowId: 'wf_x' })
  await world.say(conversation, 'hello')
  const { target } = world.runs.started.at(-1)!.request
  assert.ok('graph' in target && target.graph.nodes.some(({ data }) => data['type'] === 'llm'))
  world.model.name = ''
  const knowing = await world.talk(await world.agent({ learn: { kb_a: {} } }))
  await world.say(knowing, 'hello')
  const without = world.runs.started.at(-1)!.request.target
  assert.ok('graph' in without && without.graph.nodes.some(({ id }) => id === 'retrieve'))
  world.model.name = 'scripted'
})
