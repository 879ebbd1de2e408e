import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents, repliesOfDeltas, type SentEvent } from '../support/event-reader.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { rounds } from '../support/rounds.ts'
import { chain, echoGraph, llm, output } from '../support/run-graphs.ts'
import { type ChatBody, lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import {
  makeAgent,
  makeWorkflow,
  messagesOf,
  openTalk,
  runOf,
  say,
  send,
  type Talk,
  talkWith,
  timesAsked,
  wordsOf,
} from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const gates = new Gates()
let model: ScriptedModel
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
  model.play(body =>
    lastUserText(body) === 'Only think'
      ? { text: '', reasoning: 'Hm' }
      : { beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined) },
  )
})
afterEach(() => gates.open())
after(async () => {
  await server.stop()
  await model.stop()
})

/** The beginning of an MP4 file. */
const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')

const lastModelRequest = (): ChatBody => model.calls.chat.at(-1)!.body
const tokenFor = async (body: object): Promise<string> =>
  (await dataOf(api.post('token/create', { name: 't', ...body }))).token
let workspaces = 0
const elsewhere = async (): Promise<string> =>
  (await dataOf(api.post('workspace/create', { name: `Elsewhere ${workspaces++}` }))).token

const streamed = async (talk: Talk, content: string, more: object = {}, headers = {}): Promise<SentEvent[]> =>
  (
    await openEvents(server.base, 'conversation/chat', {
      token,
      headers,
      body: { ...talk, data_type: 'text', content, stream: 1, ...more },
    })
  ).rest()

/** A 1×1 PNG. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const uploaded = async (name: string, content: string | Uint8Array, by = api): Promise<string> =>
  (await dataOf(by.upload(name, content))).file_id

describe('message types', () => {
  test('passes an action to the workflow as sys.action and returns the output of an action node', async () => {
    const talk = await talkWith(
      api,
      chain(
        node('act', 'action', { content: '{"move": "{{#sys.action#}}", "said": "{{#sys.query#}}"}' }),
        output('say', 'Done.'),
      ),
    )
    const { feedback } = await say(api, talk, 'wave "high"', { data_type: 'action' })
    assert.deepEqual(
      feedback.map(({ data_type }: Data) => data_type),
      ['action', 'text'],
    )
    assert.deepEqual(JSON.parse(feedback[0].content), { move: 'wave "high"', said: '' })
    const events = await streamed(talk, 'bow', { data_type: 'action' })
    const [whole] = events.filter(({ event }) => event === 'message')
    assert.deepEqual(JSON.parse(whole!.data.feedback[0].content).move, 'bow')
    assert.deepEqual(
      (await messagesOf(api, talk)).map(({ role, data_type }) => [role, data_type]),
      [0, 0].flatMap(() => [
        [0, 'action'],
        [1, 'action'],
        [1, 'text'],
      ]),
    )
  })

  test('passes an action or a file that answers a question to the workflow', async () => {
    const seen = output('say', '{{#q.action#}} {{#sys.action#}} {{#q.files.0.name#}} {{#sys.files.0.name#}}')
    const graph = chain(node('q', 'question', { question: 'Which?' }), seen)
    const file = await uploaded('a.txt', 'tea')
    for (const [message, expected] of [
      [{ data_type: 'action', content: 'bow' }, 'bow bow  '],
      [{ data_type: 'file', file_list: [file] }, '  a.txt a.txt'],
    ] as const) {
      const talk = await talkWith(api, graph)
      await say(api, talk, 'hello')
      assert.equal((await say(api, talk, '', message)).feedback[0].content, expected)
    }
  })

  test('sends an image to the model as an image part', async () => {
    const talk = await openTalk(api, await makeAgent(api))
    const image = await uploaded('pixel.png', pixel)
    await say(api, talk, 'What is it?', { data_type: 'image', file_list: [image] })
    const parts = lastModelRequest().messages.at(-1)!.content as Data[]
    assert.deepEqual(
      parts.map(part => part.type),
      ['text', 'image_url'],
    )
    assert.equal(parts[1].image_url.url, `data:image/png;base64,${pixel.toString('base64')}`)
    const [message] = await messagesOf(api, talk)
    assert.deepEqual(
      [message.data_type, message.content, message.file_list],
      ['image', 'What is it?', [image]],
    )
    // The text is optional for an image.
    await say(api, talk, '', { data_type: 'image', file_list: [image] })
    assert.match(JSON.stringify(lastModelRequest().messages.at(-1)!.content), /image_url/)
  })

  test('adds the text of an attached file to the prompt', async () => {
    const talk = await openTalk(api, await makeAgent(api))
    const file = await uploaded('note.txt', 'the note says pineapple 菠萝')
    await say(api, talk, 'Summarize', { data_type: 'file', file_list: [file] })
    assert.match(lastUserText(lastModelRequest()), /Summarize[\s\S]*note\.txt[\s\S]*pineapple 菠萝/)
  })

  test('transcribes voice messages; without transcription only a workflow gets them', async () => {
    const recording = await uploaded('hello.wav', 'open the window')
    const talk = await talkWith(api, echoGraph())
    const body = { data_type: 'voice', file_list: [recording] }
    assert.equal((await say(api, talk, '', body)).feedback[0].content, 'A: echo: heard: open the window')
    assert.deepEqual((await wordsOf(api, talk))[0], [0, 'heard: open the window'])
    const { inputs } = await runOf(api, (await messagesOf(api, talk, { details: 1 }))[0].run_id)
    assert.deepEqual(
      inputs.files.map(({ file_id, transcript }: Data) => [file_id, transcript]),
      [[recording, 'heard: open the window']],
    )

    const withoutTranscription = await startTestServer({
      DEMO: 'off',
      MODEL_BASE_URL: model.environment['MODEL_BASE_URL']!,
      MODEL_NAME: 'm',
    })
    try {
      const file = await uploaded('hello.wav', 'open the window', withoutTranscription.api)
      const { api } = withoutTranscription
      const voice = { data_type: 'voice', file_list: [file] }
      const { status, json } = await send(api, await openTalk(api, await makeAgent(api)), '', voice)
      assert.deepEqual([status, json.code], [415, 41501])
      assert.match(json.msg, /TRANSCRIBE_BASE_URL/)
      // A workflow gets the recording itself.
      const talk = await talkWith(api, chain(output('say', 'Got {{#sys.files.0.name#}} {{#sys.query#}}')))
      assert.equal((await say(api, talk, '', voice)).feedback[0].content, 'Got hello.wav ')
      assert.deepEqual((await messagesOf(api, talk))[0].file_list, [file])
    } finally {
      await withoutTranscription.stop()
    }
  })

  test('passes a video to a workflow, and returns 415 with a suggestion for a persona', async () => {
    const video = { data_type: 'video', file_list: [await uploaded('film.mp4', film)] }
    const persona = await openTalk(api, await makeAgent(api))
    const { status, json } = await send(api, persona, '', video)
    assert.deepEqual([status, json.code, json.conversation_id], [415, 41501, persona.conversation_id])
    assert.match(json.msg, /image|voice/)
    assert.deepEqual(await wordsOf(api, persona), [])
    const talk = await talkWith(api, echoGraph())
    const { feedback } = await say(api, talk, 'Watch this', video)
    assert.match(feedback[0].content, /Watch this/)
    const prompt = lastUserText(lastModelRequest())
    assert.match(prompt, /film\.mp4 \(video\/mp4\): you cannot see or hear/)
    const [message] = await messagesOf(api, talk)
    assert.deepEqual([message.data_type, message.file_list], ['video', video.file_list])
    // Content without magic bytes, which some recordings lack.
    for (const [data_type, name, content] of [
      ['video', 'raw.mp4', Buffer.from([1, 2, 0, 255])],
      ['video', 'words.mp4', 'no film'],
    ] as const) {
      await say(api, talk, 'And this', { data_type, file_list: [await uploaded(name, content)] })
      assert.match(lastUserText(lastModelRequest()), new RegExp(`${name} \\(.*\\): you cannot see or hear`))
    }
  })

  test('rejects files of other workspaces, unknown files and non-images sent as images', async () => {
    const talk = await talkWith(api, echoGraph())
    const foreign = await uploaded('secret.txt', 'secret', api.as(await elsewhere()))
    const text = await uploaded('note.txt', 'words')
    for (const [data_type, file] of [
      ['file', foreign],
      ['image', foreign],
      ['file', 'file_nobody'],
      ['image', text],
    ] as const) {
      const { status, json } = await send(api, talk, 'x', { data_type, file_list: [file] })
      assert.deepEqual([status, json.code, json.errors[0].path], [400, 40001, '/file_list/0'])
    }
    assert.deepEqual(await wordsOf(api, talk), [])
  })
})

describe('chat turns', () => {
  test('runs concurrent requests with the same chat_id once and returns the same response to all', async () => {
    const talk = await talkWith(api, echoGraph())
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => say(api, talk, 'only once', { chat_id: 'chat_once' })),
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(timesAsked(model, 'only once'), 1)
    assert.equal((await messagesOf(api, talk)).length, 2)
    const other = await talkWith(api, echoGraph())
    await say(api, other, 'only here', { chat_id: 'chat_once' })
    assert.equal(timesAsked(model, 'only here'), 1, 'chat_id is scoped to its conversation')
  })

  test('waits for the previous turn of the conversation', async () => {
    const talk = await talkWith(api, echoGraph())
    gates.hold('middle of the first')
    const one = say(api, talk, 'the first')
    await gates.reached('middle of the first')
    const two = say(api, talk, 'the second')
    const three = say(api, await talkWith(api, echoGraph()), 'somewhere else')
    await three
    assert.equal(timesAsked(model, 'the second'), 0)
    gates.open()
    await Promise.all([one, two])
    assert.deepEqual(
      (await wordsOf(api, talk)).map(([, words]) => words),
      ['the first', 'A: echo: the first', 'the second', 'A: echo: the second'],
    )
    const { createdTimes, ids } = (await messagesOf(api, talk)).reduce(
      (all, { timestamp, message_id }) => ({
        createdTimes: [...all.createdTimes, timestamp],
        ids: all.ids.add(message_id),
      }),
      { createdTimes: [] as number[], ids: new Set<string>() },
    )
    assert.equal(ids.size, 4)
    assert.ok(createdTimes[2]! <= createdTimes[3]!)
  })

  test('resumes the stream after any Last-Event-ID', async () => {
    const talk = await talkWith(
      api,
      chain(
        output('hi', 'Hello {{#sys.user_id#}}'),
        llm('model', '{{#sys.query#}}'),
        output('say', 'A: {{#model.text#}}'),
      ),
    )
    const all = await streamed(talk, 'a streamed turn', { chat_id: 'chat_s', user_id: 'Ada' })
    assert.equal(all.at(-1)!.event, 'end')
    const said = ['Hello Ada', 'A: echo: a streamed turn']
    assert.deepEqual([...repliesOfDeltas(all).values()], said)
    assert.deepEqual(
      all.at(-1)!.data.feedback.map(({ content }: Data) => content),
      said,
    )
    for (const { data } of all)
      assert.deepEqual(
        [data.code, data.msg, data.chat_id, data.conversation_id],
        [0, 'success', 'chat_s', talk.conversation_id],
      )
    const ids = all.map(({ id }) => id)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((one, other) => one - other),
    )
    for (const [at, { id }] of all.slice(0, -1).entries()) {
      const rest = await streamed(
        talk,
        'a streamed turn',
        { chat_id: 'chat_s' },
        { 'last-event-id': String(id) },
      )
      assert.deepEqual(rest, all.slice(at + 1), `after ${id}`)
    }
    assert.equal(timesAsked(model, 'a streamed turn'), 1)
  })

  test('completes the turn after the client disconnects', async () => {
    const talk = await talkWith(api, echoGraph())
    gates.hold('middle of gone for good')
    const events = await openEvents(server.base, 'conversation/chat', {
      token,
      body: { ...talk, data_type: 'text', content: 'gone for good', stream: 1 },
    })
    await events.next()
    await gates.reached('middle of gone for good')
    await events.leave()
    gates.open()
    await until('the reply', async () => (await messagesOf(api, talk)).length === 2)
    assert.equal((await wordsOf(api, talk))[1]![1], 'A: echo: gone for good')
  })

  test('returns 422 with the reason for a workflow that cannot run and keeps the messages', async () => {
    const talk = await talkWith(api, chain(node('far', 'teleport')))
    const { status, json } = await send(api, talk, 'hello')
    assert.deepEqual([status, json.code], [422, 42202])
    assert.match(json.msg, /teleport/)
    assert.equal(json.feedback.length, 1)
    assert.deepEqual(
      (await wordsOf(api, talk)).map(([role]) => role),
      [0, 1],
    )
  })

  test('reports that the model gave no answer', async () => {
    const talk = await openTalk(api, await makeAgent(api))
    const { status, json } = await send(api, talk, 'Only think')
    assert.deepEqual([status, json.code, json.feedback.length], [422, 42203, 1])
    assert.match(json.feedback[0].content, /no answer/)
  })

  test('stops the run when its conversation is deleted', async () => {
    const talk = await talkWith(api, echoGraph())
    gates.hold('middle of never mind')
    const answer = send(api, talk, 'never mind')
    await gates.reached('middle of never mind')
    const [{ run_id }] = (await dataOf(api.get(`workflow/runs?conversation_id=${talk.conversation_id}`)))
      .items
    assert.equal(
      (await api.post('conversation/delete', { conversation_id: talk.conversation_id })).status,
      200,
    )
    const call = model.calls.chat.find(({ body }) => lastUserText(body) === 'never mind')!
    assert.equal(await call.gone, true)
    assert.equal((await answer).status, 404)
    assert.equal((await runOf(api, run_id)).status, 'stopped')
    assert.equal((await api.post('conversation/retrieve', talk)).status, 404)
  })
})

describe('memory and history', () => {
  test('keeps memory across turns per conversation and user', async () => {
    const graph = chain(
      output('say', 'Before: {{#memory.city#}}'),
      node('keep', 'variable', { assign: { city: '{{#sys.query#}}' } }),
    )
    const agent = await makeAgent(
      api,
      { workflow_id: await makeWorkflow(api, graph) },
      { memory: { city: { name: 'City', default: 'nowhere' } } },
    )
    const [one, two] = [await openTalk(api, agent), await openTalk(api, agent)]
    const sendCity = async (talk: Talk, city: string, user_id = 'ada'): Promise<string> =>
      (await say(api, talk, city, { user_id })).feedback[0].content
    assert.equal(await sendCity(one, 'Paris'), 'Before: nowhere')
    assert.equal(await sendCity(one, 'Rome'), 'Before: Paris')
    assert.equal(await sendCity(two, 'Oslo'), 'Before: nowhere')
    assert.equal(await sendCity(one, 'Bonn', 'bob'), 'Before: nowhere')
    assert.equal(await sendCity(one, 'Wien'), 'Before: Rome')
    assert.equal(await sendCity(one, 'Köln', 'bob'), 'Before: Bonn')
  })

  test('sends the persona and the conversation history to the model', async () => {
    const talk = await openTalk(api, await makeAgent(api, { character_profile: 'You are a butler.' }))
    await say(api, talk, 'My name is Ada')
    await say(api, talk, 'What is my name?')
    assert.deepEqual(
      lastModelRequest().messages.map(({ role, content }) => [role, content]),
      [
        ['system', 'You are a butler.'],
        ['user', 'My name is Ada'],
        ['assistant', 'echo: My name is Ada'],
        ['user', 'What is my name?'],
      ],
    )
  })

  test('returns the matching slice of messages for any limit and offset', async () => {
    const talk = await talkWith(api, chain(output('say', 'A: {{#sys.query#}}')))
    for (let turn = 0; turn < 7; turn += 1) await say(api, talk, `turn ${turn}`)
    const all = await messagesOf(api, talk)
    assert.equal(all.length, 14)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        async (limit, offset) => {
          const to = Math.max(0, all.length - offset)
          assert.deepEqual(
            await messagesOf(api, talk, { limit, offset }),
            all.slice(Math.max(0, to - limit), to),
          )
        },
      ),
      { numRuns: rounds(10) },
    )
  })
})

test('checks access for every combination of agent, conversation and token', async () => {
  const graph = chain(output('say', 'ok'))
  const workflow_id = await makeWorkflow(api, graph)
  const agents = {
    open: await makeAgent(api, { workflow_id }, { access: 'public' }),
    closed: await makeAgent(api, { workflow_id }),
    nobody: 'agent_nobody',
  }
  const otherToken = await elsewhere()
  const conversations = {
    open: (await openTalk(api, agents.open)).conversation_id,
    closed: (await openTalk(api, agents.closed)).conversation_id,
    elsewhere: (await openTalk(api.as(otherToken), await makeAgent(api.as(otherToken)))).conversation_id,
    nobody: 'conv_nobody',
  }
  const tokens = {
    none: undefined,
    wrong: 'not-a-token-of-anybody',
    editor: await tokenFor({ role: 'editor' }),
    viewer: await tokenFor({ role: 'viewer' }),
    runnerOfClosed: await tokenFor({ role: 'runner', agent_ids: [agents.closed] }),
    runnerOfOpen: await tokenFor({ role: 'runner', agent_ids: [agents.open] }),
    elsewhere: otherToken,
  }
  type Name<Of> = keyof Of & string
  const expected = (
    agent: Name<typeof agents>,
    conversation: Name<typeof conversations> | undefined,
    who: Name<typeof tokens>,
    operation: string,
  ): number => {
    if (who === 'wrong') return 401
    if (who === 'none' && agent !== 'open') return 401
    if (who === 'viewer' && operation !== 'retrieve') return 403
    if (who === 'runnerOfClosed' && agent !== 'closed') return 403
    if (who === 'runnerOfOpen' && agent !== 'open') return 403
    if (who === 'elsewhere' || agent === 'nobody') return 404
    return conversation === undefined || conversation === agent ? 200 : 404
  }
  const failures: string[] = []
  const keys = <Of extends object>(of: Of): Name<Of>[] => Object.keys(of) as Name<Of>[]
  const check = async (
    agent: Name<typeof agents>,
    conversation: Name<typeof conversations> | undefined,
    who: Name<typeof tokens>,
    operation: string,
  ): Promise<void> => {
    const body = {
      agent_id: agents[agent],
      ...(conversation && { conversation_id: conversations[conversation] }),
      ...(operation === 'chat' && { data_type: 'text', content: 'x' }),
    }
    const { status, json } = await api.as(tokens[who]).post(`conversation/${operation}`, body)
    const want = expected(agent, conversation, who, operation)
    if (status !== want)
      failures.push(`${operation} ${agent}/${conversation} as ${who}: ${status}, not ${want}`)
    if (status !== 200 && operation === 'retrieve') assert.deepEqual(json.retrieve_data, [])
  }
  for (const who of keys(tokens))
    for (const agent of keys(agents)) {
      await check(agent, undefined, who, 'create')
      for (const conversation of keys(conversations))
        for (const operation of ['chat', 'retrieve']) await check(agent, conversation, who, operation)
    }
  assert.deepEqual(failures, [])
})

test('deletes the conversations of a deleted agent', async () => {
  const talk = await talkWith(api, echoGraph())
  await say(api, talk, 'hello')
  await dataOf(api.post('agent/delete', { id: talk.agent_id }))
  assert.equal((await send(api, talk, 'still there?')).status, 404)
  assert.equal((await api.post('conversation/retrieve', talk)).status, 404)
  const { json } = await api.post('conversation/list', { agent_id: talk.agent_id })
  assert.deepEqual((json.data ?? json).items, [])
})
