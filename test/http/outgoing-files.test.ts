import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import {
  makeAgent,
  makeWorkflow,
  messagesOf,
  openTalk,
  runWorkflow,
  say,
  send,
  talkWith,
} from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')
const sound = Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1')

let model: ScriptedModel
let server: TestServer
let media: Server
let origin: string
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  media = createServer((request, response) => {
    if (request.url === '/photo') response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
    else if (request.url === '/film')
      response
        .writeHead(200, {
          'content-type': 'video/mp4',
          'content-disposition': `attachment; filename="x.mp4"; filename*=UTF-8''..%2F%E5%BD%B1%E7%89%87.mp4`,
        })
        .end(film)
    else response.writeHead(404, { 'content-type': 'image/png' }).end(pixel)
  }).listen(0, '127.0.0.1')
  await once(media, 'listening')
  origin = `http://127.0.0.1:${(media.address() as AddressInfo).port}`
  server = await startTestServer({ ...model.environment, DEMO: 'off', EGRESS_ALLOW: '127.0.0.1' })
  api = server.api
})
after(async () => {
  await server.stop()
  await model.stop()
  media.close()
})

const get = (id: string, path: string) => node(id, 'http_request', { method: 'GET', url: `${origin}${path}` })
const sends = (...file_list: string[]) => node('say', 'output', { answer: 'Here:', file_list })
const shapeOf = (messages: Data[]) =>
  messages.map(({ data_type, content, file_list }) => [data_type, content, file_list.length])
const infoOf = async (file_ids: string[]): Promise<Data[]> =>
  (await dataOf(api.post('files', { file_ids }))).items

test('an output sends files of requests as messages of their types, after the text', async () => {
  const graph = chain(
    get('photo', '/photo'),
    get('film', '/film'),
    sends('{{#photo.files#}}', '{{#film.files.0#}}'),
  )
  const talk = await talkWith(api, graph)
  const { feedback } = await say(api, talk, 'Show me')
  assert.deepEqual(shapeOf(feedback), [
    ['text', 'Here:', 0],
    ['image', '', 1],
    ['video', '', 1],
  ])
  const ids = [...feedback[1].file_list, ...feedback[2].file_list]
  assert.deepEqual(
    (await infoOf(ids)).map(({ name, mime_type }) => [name, mime_type]),
    [
      ['photo.png', 'image/png'],
      ['影片.mp4', 'video/mp4'],
    ],
  )
  assert.deepEqual((await api.bytes(`files/${ids[0]}`)).bytes, pixel)
  const stored = (await messagesOf(api, talk)).slice(1)
  assert.deepEqual(shapeOf(stored), shapeOf(feedback))
  assert.ok(stored.every(({ role }) => role === 1))
  // The next prompt names them.
  const events = await openEvents(server.base, 'conversation/chat', {
    token,
    body: { ...talk, data_type: 'text', content: 'Again', stream: 1 },
  })
  const all = await events.rest()
  assert.deepEqual(
    all.filter(({ event }) => event === 'message').flatMap(({ data }) => shapeOf(data.feedback)),
    [
      ['image', '', 1],
      ['video', '', 1],
    ],
  )
  assert.deepEqual(shapeOf(all.at(-1)!.data.feedback), shapeOf(feedback))
})

test('code returns files by their content, and an output without a text sends them', async () => {
  const code = `function main() {
    return { files: [
      { name: 'table.csv', content: 'a,b\\n1,2\\n' },
      { name: 'beep.wav', content_base64: '${sound.toString('base64')}' },
    ] }
  }`
  const id = await makeWorkflow(
    api,
    chain(
      node('make', 'code', { code, inputs: {} }),
      node('say', 'output', { file_list: ['{{#make.files#}}'] }),
    ),
  )
  const run = await runWorkflow(api, id, '')
  assert.deepEqual(shapeOf(run.messages), [
    ['file', '', 1],
    ['voice', '', 1],
  ])
  const [csv] = run.messages[0].file_list
  assert.equal((await api.bytes(`files/${csv}`)).bytes.toString(), 'a,b\n1,2\n')
  const bad = await makeWorkflow(
    api,
    chain(
      node('make', 'code', { code: 'function main() { return { files: [{ name: "x" }] } }', inputs: {} }),
    ),
  )
  const failed = await runWorkflow(api, bad, '')
  assert.match(failed.error.message, /"name" and "content" or "content_base64"/)
})

test('uploaded files are sent by their id, and a missing one is named', async () => {
  const { file_id } = await dataOf(api.upload('brochure.pdf', '%PDF-1.4\n'))
  const talk = await talkWith(api, chain(sends(file_id, '', '{{#sys.query#}}')))
  const { feedback } = await say(api, talk, file_id)
  assert.deepEqual(shapeOf(feedback), [
    ['text', 'Here:', 0],
    ['file', '', 1],
  ])
  const { status, json } = await send(api, talk, 'file_nope')
  assert.deepEqual([status, json.code], [422, 42203])
  assert.match(json.msg, /file_nope/)
  const foreign = await dataOf(api.post('workspace/create', { name: 'Elsewhere' }))
  const other = await dataOf(api.as(foreign.token).upload('secret.txt', 'secret'))
  assert.match((await send(api, talk, other.file_id)).json.msg, /does not exist/)
})

test('an output needs a text or files', async () => {
  const check = async (data: Record<string, unknown>) =>
    (await dataOf(api.post('workflow/check', { workflow: chain(node('say', 'output', data)) }))).runnable
  assert.deepEqual(
    [await check({}), await check({ answer: 'x' }), await check({ file_list: ['x'] })],
    [false, true, true],
  )
})

test('what fails is not sent as a file', async () => {
  const talk = await talkWith(api, chain(get('gone', '/gone'), sends('{{#gone.files#}}')))
  assert.deepEqual(shapeOf((await say(api, talk, 'Show me')).feedback), [['text', 'Here:', 0]])
})

test('a picture that a tool of a persona returns is shown to the model and sent to the user', async () => {
  const tools = { photo: { running_config: { type: 'http', method: 'GET', url: `${origin}/photo` } } }
  model.play(body =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Look.' }
      : { toolCalls: [{ name: 'photo', arguments: {} }] },
  )
  const talk = await openTalk(api, await makeAgent(api, { tools }))
  const { feedback } = await say(api, talk, 'A photo, please')
  model.play(() => undefined)
  assert.deepEqual(shapeOf(feedback), [
    ['text', 'Look.', 0],
    ['image', '', 1],
  ])
  assert.match(JSON.stringify(model.calls.chat.at(-1)!.body.messages), /\[photo\.png\].*image_url/)
})

test('a client that asks for it gets the answer of a persona as voice, too', async () => {
  const talk = await openTalk(api, await makeAgent(api))
  const { feedback } = await say(api, talk, 'Hello', { voice: 1 })
  assert.deepEqual(shapeOf(feedback), [
    ['text', 'echo: Hello', 0],
    ['voice', '', 1],
  ])
  const { body } = model.calls.speech.at(-1)!
  assert.deepEqual(
    [body['model'], body['input'], body['voice'], body['response_format']],
    ['scripted-mouth', 'echo: Hello', 'nova', 'mp3'],
  )
  const [file] = feedback[1].file_list
  assert.equal((await infoOf([file]))[0].name, 'voice.mp3')
  assert.equal((await api.bytes(`files/${file}`)).bytes.toString(), 'spoken: echo: Hello')
  const calls = model.calls.speech.length
  assert.deepEqual(shapeOf((await say(api, talk, 'Hello', { voice: false })).feedback), [
    ['text', 'echo: Hello', 0],
  ])
  assert.equal(model.calls.speech.length, calls)
})

test('an output node produces speech, and names the setting that is missing without a speech model', async () => {
  const graph = chain(node('say', 'output', { answer: 'Good day', voice: 'on' }))
  assert.deepEqual(shapeOf((await say(api, await talkWith(api, graph), 'Hi')).feedback), [
    ['text', 'Good day', 0],
    ['voice', '', 1],
  ])
  const silent = await startTestServer({ DEMO: 'off' })
  try {
    const { json } = await send(silent.api, await talkWith(silent.api, graph), 'Hi')
    assert.equal(json.code, 50302)
    assert.match(json.msg, /SPEECH_BASE_URL/)
  } finally {
    await silent.stop()
  }
})
