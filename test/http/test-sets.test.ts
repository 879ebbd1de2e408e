import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
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

const says = (answer: string) => chain(output('say', answer))
const store = (id: string, workflow: unknown) => dataOf(api.post('workflow/update', { id, workflow }))
const createSet = async (workflow_id: string, gate = 'off') =>
  (await dataOf(api.post('test/create', { name: `Set of ${workflow_id}`, workflow_id, gate }))).id as string
const addCase = (id: string, query: string, checks: object[]) =>
  dataOf(api.post('test/saveCase', { id, name: query, inputs: { query }, checks }))
const ended = async (id: string) =>
  until('the test run ends', async () => {
    const data = await dataOf(api.post('test/results', { id }))
    return ['finished', 'stopped'].includes(data.run.status) && data
  })
const run = async (id: string, more = {}) =>
  ended((await dataOf(api.post('test/run', { id, ...more }))).id as string)
const statuses = (data: { results: { name: string; label: string; status: string }[] }) =>
  data.results.map(({ name, label, status }) => `${name} ${label} ${status}`)

test('runs the cases of a set against the draft and the published version', async () => {
  await store('tested', says('old: {{#sys.query#}}'))
  await dataOf(api.post('workflow/publish', { id: 'tested' }))
  await store('tested', says('new: {{#sys.query#}}'))
  const id = await createSet('tested')
  await addCase(id, 'one', [{ type: 'equals', value: 'new: one' }])
  await addCase(id, 'two', [{ type: 'contains', value: 'two' }])
  await addCase(id, 'three', [{ type: 'regex', value: '^old: \\w+$' }])
  const data = await run(id)
  assert.deepEqual(statuses(data), [
    'one draft passed',
    'one published failed',
    'two draft passed',
    'two published passed',
    'three draft failed',
    'three published passed',
  ])
  assert.deepEqual([data.run.total, data.run.passed, data.run.status], [6, 4, 'finished'])
  assert.match(data.results[1].message, /is not "new: one"/)
  assert.equal((await dataOf(api.get(`workflow/runs/${data.results[0].run_id}`))).answer, 'new: one')
  const [listed] = (await dataOf(api.post('test/list', { workflow_id: 'tested' }))).items
  assert.deepEqual([listed.case_count, listed.last_run.passed], [3, 4])
})

test('checks JSON, asks a model to judge, and limits the time of a pattern', async () => {
  await store('judged', says('{"days": 20, "note": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}'))
  const id = await createSet('judged')
  const schema = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] }
  await addCase(id, 'fits', [{ type: 'json_schema', schema }])
  await addCase(id, 'lacks', [{ type: 'json_schema', schema: { ...schema, required: ['weeks'] } }])
  await addCase(id, 'slow', [{ type: 'regex', value: '(a+)+$' }])
  await addCase(id, 'kind', [{ type: 'judge', value: 'It names the days' }])
  model.play(() => ({ pieces: ['```json\n{"pass": false, "reason": "it is rude"}\n```'] }))
  const data = await run(id, { against: ['draft'] })
  assert.deepEqual(statuses(data), [
    'fits draft passed',
    'lacks draft failed',
    'slow draft failed',
    'kind draft failed',
  ])
  assert.match(data.results[1].message, /lacks "weeks"/)
  assert.match(data.results[3].message, /it is rude/)
  const refused = await api.post('test/saveCase', {
    ...{ id, name: 'x', inputs: {}, checks: [{ type: 'regex', value: '(' }] },
  })
  assert.equal(refused.json.data.errors[0].path, '/checks/0/value')
})

test('turns a run into a case, and reports failed and waiting runs', async () => {
  await store('cases', chain(node('who', 'question', { question: 'Who?' }), output('say', 'Hi')))
  const waiting = await dataOf(
    api.post('workflow/run', { id: 'cases', inputs: { query: 'hello', city: 'Rome' } }),
  )
  const id = await createSet('cases')
  const added = await dataOf(api.post('test/saveCase', { id, run_id: waiting.run_id, checks: [] }))
  assert.equal(added.name, 'hello')
  assert.deepEqual([added.inputs.query, added.inputs.city], ['hello', 'Rome'])
  const data = await run(id, { against: ['draft'] })
  assert.deepEqual(statuses(data), ['hello draft failed'])
  assert.match(data.results[0].message, /asked a question/)
  await dataOf(api.post('test/deleteCase', { id, case_id: added.id }))
  assert.equal((await api.post('test/run', { id })).status, 400)
})

test('an imported case keeps all digits of an id', async () => {
  await store('digits', says('done'))
  const id = await createSet('digits')
  const content = '{"question":"q","order":687865202956247041}'
  await dataOf(api.post('test/importCases', { id, format: 'jsonl', content }))
  const [added] = (await dataOf(api.post('test/cases', { id }))).items
  assert.deepEqual(added.inputs, { query: 'q', order: '687865202956247041' })
})

test('a run or a line of a text that is too large is no case', async () => {
  await store('large', says('done'))
  const text = 'x'.repeat(300_000)
  const { run_id } = await dataOf(api.post('workflow/run', { id: 'large', inputs: { query: 'q', text } }))
  const id = await createSet('large')
  const refused = await api.post('test/saveCase', { id, run_id })
  assert.deepEqual([refused.status, refused.json.data.errors[0].path], [400, '/inputs'])
  const line = JSON.stringify({ question: 'q', text })
  const imported = await api.post('test/importCases', { id, format: 'jsonl', content: line })
  assert.deepEqual([imported.status, imported.json.data.errors[0].path], [400, '/content'])
  assert.equal((await dataOf(api.post('test/cases', { id }))).total, 0)
})

test('a case keeps its whole name, and an answer that is too long for a check is no check', async () => {
  await store('long', says('x'.repeat(20_001)))
  const { run_id } = await dataOf(api.post('workflow/run', { id: 'long', inputs: { query: 'q' } }))
  const id = await createSet('long')
  const refused = await api.post('test/saveCase', { id, run_id })
  assert.deepEqual([refused.status, refused.json.data.errors[0].path], [400, '/checks'])
  const name = 'n'.repeat(255)
  assert.equal((await dataOf(api.post('test/saveCase', { id, run_id, name, checks: [] }))).name, name)
})

test('a test run is stopped, and its open results with it', async () => {
  await store(
    'slow',
    chain(node('wait', 'llm', { prompt_template: '{{#sys.query#}}', '数据源/API工具': [] })),
  )
  const id = await createSet('slow')
  for (let at = 0; at < 6; at++) await addCase(id, `case ${at}`, [])
  const gate = Promise.withResolvers<void>()
  model.play(() => ({ beforePiece: () => gate.promise }))
  const started = await dataOf(api.post('test/run', { id, against: ['draft'] }))
  await until(
    'a case runs',
    async () => (await dataOf(api.get('workflow/runs?id=slow&status=running'))).total > 0,
  )
  await dataOf(api.post('test/stop', { id: started.id }))
  const data = await ended(started.id)
  gate.resolve()
  assert.equal(data.run.status, 'stopped')
  assert.ok(data.results.every((result: { status: string }) => result.status === 'stopped'))
})

test('a gate warns, or refuses to publish until the set has passed or a reason is given', async () => {
  await store('gated', says('wrong'))
  const id = await createSet('gated', 'refuse')
  await addCase(id, 'right', [{ type: 'equals', value: 'right' }])
  const untested = await api.post('workflow/publish', { id: 'gated' })
  assert.deepEqual([untested.status, untested.json.code], [422, 42204])
  assert.match(untested.json.message, /has not been run with version 1/)
  await run(id, { against: ['draft'] })
  assert.match((await api.post('workflow/publish', { id: 'gated' })).json.message, /1 of 1 cases/)
  await dataOf(api.post('test/update', { id, gate: 'warn' }))
  assert.equal((await dataOf(api.post('workflow/publish', { id: 'gated' }))).warnings.length, 1)
  await dataOf(api.post('test/update', { id, gate: 'refuse' }))
  await dataOf(api.post('workflow/publish', { id: 'gated', force_reason: 'The test is wrong' }))
  const [entry] = (await dataOf(api.get('audit?page_size=1'))).items
  assert.equal(entry.details.force_reason, 'The test is wrong')
  await store('gated', says('right'))
  await run(id, { against: ['draft'] })
  const published = await dataOf(api.post('workflow/publish', { id: 'gated' }))
  assert.deepEqual([published.published_version, published.warnings], [2, []])
})

test('a set is deleted with its workflow, and other workspaces do not see it', async () => {
  await store('gone', says('x'))
  const id = await createSet('gone')
  const other = await dataOf(api.post('workspace/create', { name: 'Other' }))
  const foreign = api.as(other.token)
  assert.equal((await foreign.post('test/cases', { id })).status, 404)
  assert.equal((await foreign.post('test/run', { id })).status, 404)
  await dataOf(api.post('workflow/delete', { id: 'gone' }))
  assert.equal((await api.post('test/cases', { id })).status, 404)
})

test('imports cases of CSV and JSON lines, all of them or none', async () => {
  await store('imported', says('{{#sys.query#}} in {{#sys.inputs.city#}}'))
  const id = await createSet('imported')
  const add = (format: string, content: string) => api.post('test/importCases', { id, format, content })
  const csv =
    'question;expected;check;city\r\n"Where, ""exactly""?";Berlin;;Berlin\r\nWhen?;^When;regex;Rome\r\n'
  assert.equal((await dataOf(add('csv', csv))).added, 2)
  const lines = [
    { name: 'Third', inputs: { query: 'How?', city: 'Oslo' }, checks: [{ type: 'equals', value: 'no' }] },
    { question: 'Who?', city: 'Bern' },
  ]
  assert.equal(
    (await dataOf(add('jsonl', `\ufeff${lines.map(line => JSON.stringify(line)).join('\n')}`))).added,
    2,
  )
  const { items } = await dataOf(api.post('test/cases', { id }))
  assert.deepEqual(
    items.map(({ name, inputs, checks }: Record<string, unknown>) => ({ name, inputs, checks })),
    [
      {
        name: 'Where, "exactly"?',
        inputs: { query: 'Where, "exactly"?', city: 'Berlin' },
        checks: [{ type: 'contains', value: 'Berlin' }],
      },
      {
        name: 'When?',
        inputs: { query: 'When?', city: 'Rome' },
        checks: [{ type: 'regex', value: '^When' }],
      },
      { name: 'Third', inputs: lines[0]!.inputs, checks: lines[0]!.checks },
      { name: 'Who?', inputs: { query: 'Who?', city: 'Bern' }, checks: [] },
    ],
  )
  const data = await run(id, { against: ['draft'] })
  assert.deepEqual(
    data.results.map((result: { status: string }) => result.status),
    ['passed', 'passed', 'failed', 'passed'],
  )
  for (const [format, content, problem] of [
    ['csv', 'question,expected,check\nOne?,x,equals\nTwo?,y,sometimes', /line 3: a check must be one of/],
    ['csv', 'question,expected,check\nOne?,(,regex', /line 2: the pattern is not a regular expression/],
    ['jsonl', '{"question": "One?"}\n[]', /line 2 is not a JSON object/],
    ['jsonl', '{"question": "\\u0000"}', /line 1 is not a JSON object/],
    ['csv', 'question\n', /has no records/],
    ['csv', `question\n${'Why?\n'.repeat(201)}`, /more than 200 records/],
    ['csv', `question\n${'Why?\n'.repeat(200)}`, /can have 200 cases/],
  ] as const) {
    const answer = await add(format, content)
    assert.equal(answer.status, 400, content.slice(0, 40))
    assert.match(answer.json.message, problem)
  }
  assert.equal(
    (await dataOf(api.post('test/get', { id }))).case_count,
    4,
    'nothing of a refused text is added',
  )
})
