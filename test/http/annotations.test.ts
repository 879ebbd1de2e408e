import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, runOf, say } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

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

const annotate = (agent_id: string, question: string, answer: string) =>
  dataOf(api.post('annotation/create', { agent_id, question, answer }))
const listed = async (agent_id: string, more = {}) =>
  (await dataOf(api.post('annotation/list', { agent_id, ...more }))).items
const contents = (answer: { feedback: { content: string }[] }) =>
  answer.feedback.map(({ content }) => content)

test('the same question is answered at once without a model, marked and counted', async () => {
  const agent = await makeAgent(api)
  const note = await annotate(agent, 'How many days of leave do I have?', 'Exactly **20**: {{#sys.query#}}.')
  const talk = await openTalk(api, agent)
  const calls = model.calls.chat.length
  const answer = await say(api, talk, '  how many DAYS of leave do I have ！')
  assert.deepEqual(contents(answer), ['Exactly **20**: {{#sys.query#}}.'])
  assert.equal(answer.annotation_id, note.id)
  assert.equal(model.calls.chat.length, calls, 'no call of a model')
  const run = await runOf(api, answer.run_id)
  assert.equal(run.status, 'succeeded')
  assert.deepEqual(
    run.nodes.map((each: { node_id: string }) => each.node_id),
    ['input', 'annotation', 'end'],
  )
  assert.equal(run.inputs.annotation_id, note.id)
  const [, reply] = await messagesOf(api, talk, { details: 1 })
  assert.equal(reply.annotation_id, note.id)
  const turn = await api.get(`conversation/turn?${new URLSearchParams({ ...talk, chat_id: answer.chat_id })}`)
  assert.equal(turn.json.annotation_id, note.id)
  const [counted] = await listed(agent)
  assert.equal(counted.hits, 1)
  assert.notEqual(counted.last_hit_at, null)

  model.play(() => ({ pieces: ['From the model.'] }))
  const other = await say(api, talk, 'How many days of leave do you have?')
  assert.deepEqual(contents(other), ['From the model.'])
  assert.equal(other.annotation_id, undefined)
})

test('signs that change the meaning make another question', async () => {
  const agent = await makeAgent(api)
  await annotate(agent, 'What is C++?', 'A language with classes.')
  await annotate(agent, 'What is new in version 1.2?', 'Much.')
  const talk = await openTalk(api, agent)
  model.play(() => ({ pieces: ['From the model.'] }))
  for (const question of [
    'What is C?',
    'What is C#?',
    'What is new in version 12?',
    'What is new in version 1 2?',
  ])
    assert.deepEqual(contents(await say(api, talk, question)), ['From the model.'], question)
  assert.deepEqual(contents(await say(api, talk, 'what is “C++”')), ['A language with classes.'])
  assert.deepEqual(contents(await say(api, talk, 'What is new in version 1.2 ?!')), ['Much.'])
})

test('similar questions are answered from the threshold of the agent on', async () => {
  const agent = await makeAgent(api, { annotation_threshold: 0.8 })
  await annotate(agent, 'How many days of annual leave do I have?', 'Twenty.')
  await annotate(agent, '年假有多少天', '二十天。')
  const talk = await openTalk(api, agent)
  model.play(() => ({ pieces: ['From the model.'] }))
  assert.deepEqual(contents(await say(api, talk, 'How many days of annual leave do I have left?')), [
    'Twenty.',
  ])
  assert.deepEqual(contents(await say(api, talk, '请问年假有多少天？')), ['二十天。'])
  assert.deepEqual(contents(await say(api, talk, 'Who is on leave?')), ['From the model.'])
  await dataOf(api.post('agent/update', { id: agent, config: { annotation_threshold: null } }))
  assert.deepEqual(contents(await say(api, talk, 'How many days of annual leave do I have left?')), [
    'From the model.',
  ])
  const refused = await api.post('agent/update', { id: agent, config: { annotation_threshold: 0.1 } })
  assert.equal(refused.status, 400)
})

test('an agent with a workflow, /v1, streams and visitors get the answer as well', async () => {
  const question = node('ask', 'question', { question: 'Which size?' })
  const workflow_id = await makeWorkflow(api, chain(question, output('say', 'One {{#ask.answer#}}.')))
  const agent = await makeAgent(api, { workflow_id }, { access: 'public' })
  const note = await annotate(agent, 'large', 'This is annotated.')
  const talk = await openTalk(api, agent)
  assert.deepEqual(contents(await say(api, talk, 'Tea')), ['Which size?'])
  assert.deepEqual(
    contents(await say(api, talk, 'large')),
    ['One large.'],
    'a question of the agent goes first',
  )
  const streamed = await api.post('conversation/chat', {
    ...{ ...talk, data_type: 'text', content: 'Large?', stream: 1 },
  })
  assert.match(streamed.text, /event: delta\n.*This is annotated\./)
  assert.match(streamed.text, new RegExp(`event: end\\n.*"annotation_id":"${note.id}"`))
  const completed = await fetch(`${server.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agent, messages: [{ role: 'user', content: 'LARGE' }] }),
  })
  const { choices } = (await completed.json()) as { choices: { message: { content: string } }[] }
  assert.equal(choices[0]?.message.content, 'This is annotated.')
  const visitor = await fetch(`${server.base}/api/v1/conversation/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agent }),
  })
  const { conversation_id } = (await visitor.json()) as { conversation_id: string }
  const asked = await fetch(`${server.base}/api/v1/conversation/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agent, conversation_id, data_type: 'text', content: 'large' }),
  })
  assert.deepEqual(contents((await asked.json()) as never), ['This is annotated.'])
})

test('annotations are listed, changed, deleted, and deleted with their agent', async () => {
  const agent = await makeAgent(api)
  const first = await annotate(agent, 'One?', 'A')
  const second = await annotate(agent, 'Two?', 'B')
  assert.equal((await annotate(agent, 'ONE', 'C')).id, first.id, 'the same question gets another answer')
  assert.deepEqual(
    (await listed(agent)).map((each: { question: string; answer: string }) => [each.question, each.answer]),
    [
      ['Two?', 'B'],
      ['ONE', 'C'],
    ],
  )
  assert.equal((await listed(agent, { keyword: 'tw' })).length, 1)
  assert.equal((await listed(agent, { keyword: '%' })).length, 0)
  const taken = await api.post('annotation/update', { id: second.id, question: 'one?' })
  assert.equal(taken.json.code, 40903)
  assert.equal(
    (await dataOf(api.post('annotation/update', { id: second.id, question: 'Three?' }))).answer,
    'B',
  )
  await dataOf(api.post('annotation/delete', { id: second.id }))
  assert.equal((await api.post('annotation/delete', { id: second.id })).status, 404)
  assert.equal((await api.post('annotation/list', { agent_id: 'agent_missing' })).status, 404)
  const viewer = (await dataOf(api.post('token/create', { name: 'V', role: 'viewer' }))).token
  const asViewer = await fetch(`${server.base}/api/v1/annotation/list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${viewer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agent }),
  })
  assert.equal(asViewer.status, 403)
  await dataOf(api.post('agent/delete', { id: agent }))
  assert.equal((await api.post('annotation/update', { id: first.id, answer: 'D' })).status, 404)
})

test('annotations are imported and exported, and an export can be imported again', async () => {
  const agent = await makeAgent(api)
  const load = (format: string, content: string) =>
    api.post('annotation/import', { agent_id: agent, format, content })
  const csv = 'question,answer\n"What is 1+1?","=1+1, that is ""2"""\nLine?,"one\ntwo"\n'
  assert.deepEqual(await dataOf(load('csv', csv)), { added: 2, updated: 0, skipped: [] })
  const lines = '{"question":"what is 1+1","answer":"+2"}\n{"question":"New?","answer":"Yes"}\n'
  assert.deepEqual(await dataOf(load('jsonl', lines)), { added: 1, updated: 1, skipped: [] })
  const exported = await api.get(`annotation/export?agent_id=${agent}&format=csv`)
  assert.match(String(exported.headers.get('content-disposition')), /attachment.*\.csv/)
  assert.equal(
    exported.text.replace(/^\ufeff/, ''),
    'question,answer,hits\r\nNew?,Yes,0\r\nLine?,"one\ntwo",0\r\nwhat is 1+1,\'+2,0\r\n',
  )
  const again = await makeAgent(api)
  const restored = { agent_id: again, format: 'csv', content: exported.text }
  assert.deepEqual(await dataOf(api.post('annotation/import', restored)), {
    added: 3,
    updated: 0,
    skipped: [],
  })
  const rows = (await api.get(`annotation/export?agent_id=${again}&format=jsonl`)).text.trim().split('\n')
  assert.deepEqual(rows.map(row => JSON.parse(row).answer).sort(), ['+2', 'Yes', 'one\ntwo'])
  for (const [format, content, problem] of [
    ['csv', 'question\nOne?', /first line must name the columns/],
    ['csv', 'question,answer\nOne?', /line 2: `answer` is missing/],
    ['csv', `question,answer${',x'.repeat(199)}\nOne?,A`, /has more than 200 columns/],
    [
      'jsonl',
      '{"question":"One?","answer":"A"}\n{"question":1,"answer":"B"}',
      /line 2: `question` is missing/,
    ],
    [
      'csv',
      `question,answer\n${Array.from({ length: 998 }, (_, at) => `${at},x`).join('\n')}`,
      /can have 1000/,
    ],
  ] as const) {
    const refused = await load(format, content)
    assert.equal(refused.status, 400)
    assert.match(refused.json.message, problem)
  }
  assert.equal((await listed(agent)).length, 3)
})

test('an import is previewed line by line, and skips invalid lines on request', async () => {
  const agent = await makeAgent(api)
  await dataOf(api.post('annotation/create', { agent_id: agent, question: 'Who?', answer: 'A' }))
  const listed = async () =>
    (await dataOf(api.post('annotation/list', { agent_id: agent }))).items.map(
      ({ question, answer }: Record<string, string>) => `${question} ${answer}`,
    )
  const content = `{"question":"who","answer":"B"}\nnot JSON\n\n{"question":"When?"}\n{"answer":"C"}\n{"question":"Where?","answer":"D"}\n{"question":"where","answer":"E"}\n${JSON.stringify({ question: 'Long?', answer: 'x'.repeat(20_001) })}`
  const body = { agent_id: agent, format: 'jsonl', content }
  const expected = {
    ...{ added: 1, updated: 2 },
    skipped: [
      { line: 2, reason: 'not_json', message: 'it is not a JSON object' },
      { line: 4, reason: 'no_answer', message: '`answer` is missing' },
      { line: 5, reason: 'no_question', message: '`question` is missing' },
      { line: 8, reason: 'too_long', message: '`answer` has more than 20000 characters' },
    ],
  }
  assert.deepEqual(await dataOf(api.post('annotation/preview', body)), expected)
  assert.equal((await api.post('annotation/import', body)).status, 400)
  assert.deepEqual(await listed(), ['Who? A'])
  assert.deepEqual(await dataOf(api.post('annotation/import', { ...body, skip_invalid: true })), expected)
  assert.deepEqual(await listed(), ['where E', 'who B'])
  assert.equal((await api.post('annotation/preview', { ...body, agent_id: 'agent_nope' })).status, 404)
})

test('blank questions and answers are refused', async () => {
  const agent = await makeAgent(api)
  const { id } = await annotate(agent, 'Blank?', 'No.')
  for (const [path, field, body] of [
    ['create', '/question', { agent_id: agent, question: ' ', answer: 'A' }],
    ['create', '/answer', { agent_id: agent, question: 'Q', answer: '\n' }],
    ['update', '/question', { id, question: ' ' }],
    ['update', '/answer', { id, answer: ' ' }],
  ] as const) {
    const { status, json } = await api.post(`annotation/${path}`, body)
    assert.deepEqual([status, json.data.errors?.[0].path], [400, field], path)
  }
})
