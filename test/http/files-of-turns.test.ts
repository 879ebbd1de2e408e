import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, openTalk, say, send, type Talk, talkWith } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { extractorKind, node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let api: ApiClient
before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await model.stop()
})

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const uploaded = async (name: string, content: string | Buffer): Promise<string> =>
  (await dataOf(api.upload(name, content))).file_id

const sendFile = (talk: Talk, data_type: string, ...file_list: string[]) =>
  say(api, talk, '', { data_type, file_list })

const modelMessages = (): Data[] => model.calls.chat.at(-1)!.body.messages as Data[]
const textOf = ({ content }: Data): string =>
  typeof content === 'string' ? content : content.map((part: Data) => part.text ?? part.type).join('|')

/** Repeats the names in `sys.files` and `sys.inputs.files`. */
const namesGraph = () =>
  chain(
    node('names', 'code', {
      code: 'function main({ all, sent }) { return { text: JSON.stringify([all, sent].map(list => list.map(file => file.name))) } }',
      inputs: { all: '{{#sys.files#}}', sent: '{{#sys.inputs.files#}}' },
    }),
    output('say', '{{#names.text#}}'),
  )
const namesIn = async (turn: Promise<Data>): Promise<string[][]> =>
  JSON.parse((await turn).feedback[0].content)

test('a picture and a document are seen in the question that follows', async () => {
  const talk = await openTalk(api, await makeAgent(api))
  await sendFile(talk, 'image', await uploaded('p.png', pixel))
  await sendFile(talk, 'file', await uploaded('n.txt', 'the note says pineapple'))
  await say(api, talk, 'What did I send?')
  const shown = modelMessages().filter(({ role }) => role === 'user')
  assert.deepEqual(shown.map(textOf), [
    '[p.png]|image_url',
    '[n.txt]\n\nFile n.txt:\nthe note says pineapple',
    'What did I send?',
  ])
  const url = `data:image/png;base64,${pixel.toString('base64')}`
  assert.equal(shown[0].content[1].image_url.url, url)
  assert.match(modelMessages()[0].content, /never instructions/)
})

test('without history, a model gets the files with the message', async () => {
  const talk = await talkWith(api, chain(llm('model', '{{#sys.query#}}'), output('say', '{{#model.text#}}')))
  await sendFile(talk, 'image', await uploaded('p.png', pixel))
  await say(api, talk, 'What do you see?')
  assert.deepEqual(
    modelMessages()
      .filter(({ role }) => role === 'user')
      .map(textOf),
    ['What do you see?|image_url'],
  )
  const blind = await talkWith(
    api,
    chain(
      llm('model', '{{#sys.query#}}', { attach_files: false, history_turns: 3 }),
      output('say', '{{#model.text#}}'),
    ),
  )
  await sendFile(blind, 'file', await uploaded('n.txt', 'pineapple'))
  await say(api, blind, 'What now?')
  assert.doesNotMatch(JSON.stringify(modelMessages()), /pineapple/)
})

test('an extractor sees the picture that was sent before', async () => {
  const parameters = [{ name: 'color', type: 'string', description: 'Color' }]
  const talk = await talkWith(
    api,
    chain(node('take', extractorKind, { id: 'take', parameters }), output('say', '{{#take.color#}}')),
  )
  model.play(() => ({ text: '{"values":{"color":"red"},"reply":""}' }))
  await sendFile(talk, 'image', await uploaded('p.png', pixel))
  await say(api, talk, 'Which color does it have?')
  assert.match(textOf(modelMessages().at(-1)), /image_url/)
  model.play(() => undefined)
})

test('sys.files has the files of the message, then those of recent turns, newest first', async () => {
  const talk = await talkWith(api, namesGraph())
  const [a, b] = [await uploaded('a.txt', 'a'), await uploaded('b.mp4', 'b')]
  assert.deepEqual(await namesIn(sendFile(talk, 'file', a)), [['a.txt'], ['a.txt']])
  assert.deepEqual(await namesIn(sendFile(talk, 'video', b)), [['b.mp4', 'a.txt'], ['b.mp4']])
  assert.deepEqual(await namesIn(say(api, talk, 'and now?')), [['b.mp4', 'a.txt'], []])
  // Sent again, a file belongs to the new message alone.
  assert.deepEqual(await namesIn(sendFile(talk, 'file', a)), [['a.txt', 'b.mp4'], ['a.txt']])
  await dataOf(api.post('files/delete', { file_ids: [a] }))
  assert.deepEqual(await namesIn(say(api, talk, 'deleted')), [['b.mp4'], []])
  for (let turn = 2; turn < limits.historyFileTurns; turn++) await say(api, talk, 'more')
  assert.deepEqual(await namesIn(say(api, talk, 'too late')), [[], []])
})

test('an earlier file that cannot be read does not fail the next turn', async () => {
  const talk = await openTalk(api, await makeAgent(api))
  const refused = await api.post('conversation/chat', {
    ...talk,
    data_type: 'file',
    file_list: [await uploaded('broken.pdf', '%PDF-1.7 nothing')],
  })
  assert.notEqual(refused.json.code, 0)
  const { code } = await say(api, talk, 'Then without it')
  assert.equal(code, 0)
  assert.match(JSON.stringify(modelMessages()), /\[broken\.pdf\]/)
})

test('files beyond the limits of a prompt are named only', async () => {
  const talk = await openTalk(api, await makeAgent(api))
  model.play(() => ({ text: 'Yes.' }))
  const long = (name: string) => uploaded(name, `${name} `.repeat(20_000))
  await sendFile(talk, 'file', await long('one.txt'), await long('two.txt'))
  await sendFile(talk, 'file', await long('three.txt'), await long('four.txt'))
  await say(api, talk, 'Compare them')
  model.play(() => undefined)
  const [first, second] = modelMessages()
    .filter(({ role }) => role === 'user')
    .map(textOf)
  assert.equal(first, '[one.txt]\n[two.txt]')
  assert.ok(second!.length > 100_000)
})

test('a runner reads the files of its conversations, and no others', async () => {
  const agentId = await makeAgent(api, { workflow_id: await makeWorkflow(api, namesGraph()) })
  const other = await openTalk(
    api,
    await makeAgent(api, { workflow_id: await makeWorkflow(api, namesGraph()) }),
  )
  const runner = async (more: object = {}) =>
    api.as(
      (await dataOf(api.post('token/create', { name: 'r', role: 'runner', agent_ids: [agentId], ...more })))
        .token,
    )
  const device = await runner()
  const { file_id: sent } = await dataOf(device.upload('p.png', pixel))
  const hidden = await uploaded('secret.txt', 'secret')
  const elsewhere = await uploaded('elsewhere.txt', 'other agent')
  await sendFile(other, 'file', elsewhere)
  assert.equal((await device.get(`files/${sent}`)).status, 404)
  const talk = await openTalk(device, agentId, { user_id: 'ada' })
  await say(device, talk, '', { data_type: 'image', file_list: [sent] })
  assert.deepEqual((await device.bytes(`files/${sent}`)).bytes, pixel)
  for (const id of [hidden, elsewhere]) assert.equal((await device.get(`files/${id}`)).status, 404)
  const found = await dataOf(device.post('files', { file_ids: [sent, hidden, elsewhere, 'file_nope'] }))
  assert.deepEqual(
    found.items.map(({ file_id }: Data) => file_id),
    [sent],
  )
  assert.deepEqual(found.missing.sort(), [hidden, elsewhere, 'file_nope'].sort())
  assert.equal((await device.post('files', {})).json.code, 40301)
  assert.equal((await device.post('files/delete', { file_ids: [sent] })).json.code, 40301)

  // A token of another user sees neither the conversation nor its files, but its own uploads.
  const bob = await runner({ user_id: 'bob' })
  assert.equal((await bob.get(`files/${sent}`)).status, 404)
  const { file_id: own } = await dataOf(bob.upload('own.txt', 'own'))
  assert.equal((await bob.get(`files/${own}`)).status, 200)
  assert.equal((await runner({ user_id: 'ada' }).then(ada => ada.get(`files/${sent}`))).status, 200)

  await api.post('conversation/delete', { conversation_id: talk.conversation_id })
  assert.equal((await device.get(`files/${sent}`)).status, 404)
})

test('a runner sends no document that it knows from a citation, through any endpoint', async () => {
  const base = await makeBase(api, { name: 'Inside' })
  const [document] = await addTexts(api, base, { 'inside.txt': 'inside' })
  const agentId = await makeAgent(api, { workflow_id: await makeWorkflow(api, namesGraph()) })
  const token = { name: 'r', role: 'runner', agent_ids: [agentId] }
  const runner = api.as((await dataOf(api.post('token/create', token))).token)
  const talk = await openTalk(runner, agentId)
  const sent = await send(runner, talk, '', { data_type: 'file', file_list: [document] })
  assert.deepEqual([sent.json.code, sent.json.errors[0].path], [40001, '/file_list/0'])
  const file = { type: 'file', file: { file_id: document } }
  const user = (content: unknown) => ({ role: 'user', content })
  for (const messages of [[user([file])], [user([file]), user('What is it?')]]) {
    const asked = await runner.post('/v1/chat/completions', { model: agentId, messages })
    const { status, json } = asked
    assert.deepEqual([status, json.error.param], [400, 'messages[0].content[0].file.file_id'])
  }
  const variables = [{ name: 'doc', type: 'file' }]
  const reader = node('input', 'input', { variables })
  const graph = chain(
    node('read', 'document_extractor', { files: '{{#sys.inputs.doc#}}' }),
    output('say', '{{#read.text#}}'),
  )
  const nodes = graph.nodes.map(each => (each.id === 'input' ? reader : each))
  const readerId = await makeAgent(api, { workflow_id: await makeWorkflow(api, { ...graph, nodes }) })
  const other = { name: 'o', role: 'runner', agent_ids: [readerId] }
  const otherRunner = api.as((await dataOf(api.post('token/create', other))).token)
  const read = await send(otherRunner, await openTalk(otherRunner, readerId), 'Read it', {
    inputs: { doc: document },
  })
  assert.deepEqual([read.json.code, read.json.errors?.[0].path], [40001, '/inputs/doc'], read.text)
  // What was sent in a conversation with its agent it can read, and so send.
  await sendFile(await openTalk(api, agentId), 'file', document!)
  assert.equal((await send(runner, talk, '', { data_type: 'file', file_list: [document] })).status, 200)
})
