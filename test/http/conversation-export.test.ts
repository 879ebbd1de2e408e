import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseCsv } from '../../src/kernel/csv.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, say } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let api: ApiClient
let agent: string
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
  const workflow_id = await makeWorkflow(api, chain(output('say', 'You said {{#sys.query#}}')))
  agent = await makeAgent(api, { workflow_id }, { name: 'Echo #1' })
})
after(() => server.stop())

async function exported(body: object, as = api): Promise<ApiAnswer> {
  const answer = await as.post('conversation/export', body)
  assert.equal(answer.status, 200, answer.text)
  return answer
}
const lines = async (body: object, as = api): Promise<Record<string, unknown>[]> =>
  (await exported({ format: 'jsonl', ...body }, as)).text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const contents = async (body: object, as = api) => (await lines(body, as)).map(({ content }) => content)

test('conversations are exported as lines, in the order and with the filters of the list', async () => {
  const first = await openTalk(api, agent, { user_id: 'ada' })
  await say(api, first, '=cmd()', { user_id: 'ada' })
  await say(api, first, 'A "quoted",\nlong one', { user_id: 'ada' })
  const second = await openTalk(api, agent, { user_id: 'bob' })
  const { chat_id, run_id, feedback } = await say(api, second, '你好', { user_id: 'bob' })
  const message_id = feedback[0].message_id
  const rated = {
    conversation_id: second.conversation_id,
    message_id,
    rating: 'dislike',
    comment: '-too short',
  }
  assert.equal((await api.post('conversation/feedback', rated)).status, 200)

  const all = await lines({ agent_id: agent })
  assert.deepEqual(
    all.map(({ user_id, role, content }) => [user_id, role, content]),
    [
      ['bob', 'user', '你好'],
      ['bob', 'agent', 'You said 你好'],
      ['ada', 'user', '=cmd()'],
      ['ada', 'agent', 'You said =cmd()'],
      ['ada', 'user', 'A "quoted",\nlong one'],
      ['ada', 'agent', 'You said A "quoted",\nlong one'],
    ],
  )
  const { time, conversation_updated_at, ...reply } = all[1]!
  assert.ok(!Number.isNaN(Date.parse(String(time))) && conversation_updated_at)
  assert.deepEqual(reply, {
    ...{
      conversation_id: second.conversation_id,
      conversation_name: '你好',
      agent_id: agent,
      user_id: 'bob',
    },
    ...{ message_id, chat_id, run_id, role: 'agent', data_type: 'text', content: 'You said 你好' },
    ...{ file_list: [], rating: 'dislike', comment: '-too short', annotation_id: '', stopped: false },
  })

  assert.equal((await contents({ agent_id: agent, user_id: 'ada' })).length, 4)
  assert.equal((await contents({ agent_id: agent, rating: 'dislike' })).length, 2)
  assert.equal((await contents({ agent_id: agent, keyword: '你好' })).length, 2)
  assert.equal((await contents({ agent_id: agent, to: '2001-01-01' })).length, 0)
  assert.equal((await contents({ agent_id: agent, from: '2001-01-01' })).length, 6)
  const listed = await api.post('conversation/list', {
    agent_id: agent,
    from: '2001-01-01',
    to: '2001-01-02',
  })
  assert.equal(listed.json.total, 0)

  const { text, headers } = await exported({ format: 'csv', agent_id: agent })
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(headers.get('content-disposition') ?? '', /conversations-agent_.*\.csv/)
  const raw = await fetch(`${server.base}/api/v1/conversation/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'csv', agent_id: agent }),
  })
  assert.deepEqual([...new Uint8Array(await raw.arrayBuffer()).slice(0, 3)], [0xef, 0xbb, 0xbf])
  assert.ok(text.includes(",'=cmd(),"), 'a spreadsheet does not evaluate it')
  assert.ok(text.includes(",'-too short,"))
  const [head, ...rows] = [...parseCsv(text)].map(({ cells }) => cells)
  assert.deepEqual(head, Object.keys(all[0]!))
  assert.deepEqual(
    rows.map(cells => cells[head!.indexOf('content')]),
    all.map(({ content }) => content),
  )
})

test('one conversation is exported as JSON and as Markdown', async () => {
  const talk = await openTalk(api, agent, { user_id: 'ada_l' })
  await say(api, talk, '# Not a title', { user_id: 'ada_l' })
  const { conversation_id } = talk
  const whole = JSON.parse((await exported({ format: 'json', conversation_id })).text)
  assert.equal(whole.agent_name, 'Echo #1')
  assert.deepEqual(
    whole.messages.map((each: { content: string }) => each.content),
    ['# Not a title', 'You said # Not a title'],
  )
  const { text, headers } = await exported({ format: 'markdown', conversation_id })
  assert.match(headers.get('content-disposition') ?? '', /conv_.*\.md/)
  assert.match(text, /^# \\# Not a title\n\nEcho \\#1 · conv_/)
  assert.match(text, /\*\*ada\\_l\*\* · .*\n\n# Not a title\n\n---\n\n\*\*Echo \\#1\*\* · .*\n\nYou said #/)
  assert.equal((await lines({ conversation_id })).length, 2)
  const refused = await api.post('conversation/export', { format: 'markdown', agent_id: agent })
  assert.equal(refused.status, 400)
  assert.equal(refused.json.errors[0].path, '/conversation_id')
  const time = await api.post('conversation/export', { format: 'csv', from: 'yesterday' })
  assert.equal(time.json.errors[0].path, '/from')
  const missing = await api.post('conversation/export', { format: 'json', conversation_id: 'conv_x' })
  assert.equal(missing.status, 404)
})

test('more conversations than a page are all exported, once', async () => {
  const other = await makeAgent(api, {
    workflow_id: await makeWorkflow(api, chain(output('say', 'ok'))),
  })
  const ids = new Set<string>()
  const ask = async (): Promise<void> => {
    const talk = await openTalk(api, other)
    await say(api, talk, 'Question')
    ids.add(talk.conversation_id)
  }
  while (ids.size <= 100) await Promise.all(Array.from({ length: 10 }, ask))
  const found = (await lines({ agent_id: other })).filter(({ role }) => role === 'user')
  assert.equal(found.length, ids.size)
  assert.deepEqual(new Set(found.map(({ conversation_id }) => conversation_id)), ids)
})

test('a token that may read conversations may export them, and the export is in the audit log', async () => {
  const made = async (role: string, more = {}) =>
    api.as((await dataOf(api.post('token/create', { name: role, role, ...more }))).token)
  const viewer = await made('viewer')
  assert.ok((await contents({ agent_id: agent, keyword: '你好' }, viewer)).length > 0)
  const [entry] = (await dataOf(api.get('audit?page_size=1'))).items
  assert.deepEqual(
    [entry.operation, entry.object_id, entry.actor_name, entry.details],
    ['conversation.export', agent, 'viewer', { format: 'jsonl', keyword: '你好' }],
  )
  await contents({})
  assert.equal((await dataOf(api.get('audit?page_size=1'))).items[0].object_id, 'all')
  const runner = await made('runner', { agent_ids: [agent] })
  assert.equal((await runner.post('conversation/export', { format: 'csv' })).status, 403)
  const anonymous = api.as(undefined)
  assert.equal((await anonymous.post('conversation/export', { format: 'csv' })).status, 401)
  const space = await dataOf(api.post('workspace/create', { name: 'Other' }))
  const otherWorkspace = api.as(space.token)
  assert.deepEqual(await contents({ agent_id: agent }, otherWorkspace), [])
})
