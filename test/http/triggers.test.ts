import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow, runOf } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

type Data = ApiAnswer['json']

let server: TestServer
let api: ApiClient
let workflow: string

before(async () => {
  server = await startTestServer({ DEMO: 'off', SECRET_KEY: 'sealing-key-of-the-tests' })
  api = server.api
  workflow = await makeWorkflow(api, chain(output('say', '{{#sys.query#}} {{#sys.inputs.kind#}}')))
})
after(() => server.stop())

const makeSchedule = (cron: string, more: object = {}): Promise<Data> =>
  dataOf(
    api.post('trigger/create', {
      kind: 'schedule',
      name: 'Report',
      workflow_id: workflow,
      schedule: { cron, timezone: 'Europe/Berlin' },
      inputs: { query: 'at {{#trigger.time#}}', kind: 'report' },
      ...more,
    }),
  )

const triggerOf = async (id: string): Promise<Data> =>
  (await dataOf(api.post('trigger/list', { page_size: 100 }))).items.find((each: Data) => each.id === id)

const runsOf = async (id: string): Promise<Data[]> =>
  (await dataOf(api.post('trigger/runs', { id, page_size: 100 }))).items

describe('a schedule', () => {
  test('starts one run per occurrence, with its time, and shows the next ones and the last run', async () => {
    const { id, next, webhook, path, secret } = await makeSchedule('* * * * * *')
    assert.deepEqual([webhook, path, secret, next.length], [null, null, null, 5])
    const items = await until('three runs', async () => {
      const found = await runsOf(id)
      return found.length >= 3 && found.every(run => run.status === 'succeeded') ? found : undefined
    })
    await dataOf(api.post('trigger/update', { id, enabled: false }))
    const times = items.map(({ answer }) => /at (\S+) report/.exec(answer)![1])
    assert.equal(new Set(times).size, times.length)
    assert.ok(times.includes(next[0]), 'the first occurrence was announced')
    for (const run of items)
      assert.deepEqual([run.trigger, run.trigger_id, run.workflow_id], ['schedule', id, workflow])
    // A later occurrence may have started before the update.
    const trigger = await until('the last run ends', async () => {
      const found = await triggerOf(id)
      return found.last_run.status !== 'running' && found
    })
    assert.deepEqual([trigger.enabled, trigger.next, trigger.failure], [false, [], null])
    assert.equal(trigger.last_run.status, 'succeeded')
    const details = await runOf(api, items[0]!.run_id)
    assert.match(details.inputs.query, /^at .*\+00:00$/)
  })

  test('refuses an invalid schedule, and names the field', async () => {
    const refused = async (path: string, body: object): Promise<void> => {
      const { status, json, text } = await api.post('trigger/create', {
        ...{ kind: 'schedule', name: 'x', workflow_id: workflow, ...body },
      })
      assert.equal(status, 400, text)
      assert.equal(json.data.errors[0].path, path, text)
    }
    await refused('/schedule', {})
    await refused('/schedule/cron', { schedule: { cron: 'every day' } })
    await refused('/schedule/cron', { schedule: { cron: '0 0 30 2 *' } })
    await refused('/schedule/cron', { schedule: { cron: '2020-01-01T00:00:00' } })
    await refused('/schedule/timezone', { schedule: { cron: '0 0 * * *', timezone: 'Mars/Base' } })
    await refused('/workflow_id', { schedule: { cron: '0 0 * * *' }, workflow_id: 'wf_none' })
    await refused('/inputs/query', { schedule: { cron: '0 0 * * *' }, inputs: { query: '{{#secret.key#}}' } })
    await refused('/inputs/a/0', { schedule: { cron: '0 0 * * *' }, inputs: { a: ['{{#trigger.body#}}'] } })
    await refused('/inputs/files/0', { schedule: { cron: '0 0 * * *' }, inputs: { files: ['file_none'] } })
    await refused('/inputs/files', { schedule: { cron: '0 0 * * *' }, inputs: { files: 'file_none' } })
    await refused('/webhook', { schedule: { cron: '0 0 * * *' }, webhook: {} })
    await refused('/secret', { schedule: { cron: '0 0 * * *' }, secret: 'x'.repeat(20) })
    await refused('/name', { schedule: { cron: '0 0 * * *' }, name: ' ' })
  })

  test('does not store unknown settings', async () => {
    const schedule = { cron: '0 9 * * *', time_zone: 'Europe/Berlin' }
    const { id, schedule: stored } = await makeSchedule('', { schedule })
    assert.deepEqual(stored, { cron: '0 9 * * *', timezone: 'UTC', missed: 'run_latest' })
    const change = { id, schedule: { missed: 'skip', time_zone: 'Europe/Berlin' } }
    const { schedule: changed } = await dataOf(api.post('trigger/update', change))
    assert.deepEqual(changed, { ...stored, missed: 'skip' })
  })

  test('may be a single time', async () => {
    const { next } = await makeSchedule('2099-01-31T09:00:00')
    assert.deepEqual(next, ['2099-01-31T08:00:00.000+00:00'])
  })

  test('shows why no run was started, and continues', async () => {
    const id = await makeWorkflow(api, chain(output('say', '{{#nowhere.text#}}')))
    const { id: triggerId } = await makeSchedule('* * * * * *', { workflow_id: id })
    const { failure, next } = await until('two failures', async () => {
      const trigger = await triggerOf(triggerId)
      return trigger.failure?.count >= 2 ? trigger : undefined
    })
    assert.equal(failure.reason, 'workflow_not_runnable')
    assert.ok(failure.scheduled_at)
    assert.ok(next.length > 0)
    assert.deepEqual(await runsOf(triggerId), [])
    // A good workflow starts runs again, and the failure is over.
    await dataOf(api.post('trigger/update', { id: triggerId, workflow_id: workflow }))
    await until('a run', async () => (await runsOf(triggerId)).length > 0)
    await until('no failure', async () => (await triggerOf(triggerId)).failure === null)
    await dataOf(api.post('trigger/delete', { id: triggerId }))
    assert.equal(await triggerOf(triggerId), undefined)
    assert.equal((await api.post('trigger/runs', { id: triggerId })).json.code, 40401)
  })

  test('stops with its workflow and with its workspace', async () => {
    const id = await makeWorkflow(api, chain(output('say', 'x')))
    const { id: triggerId } = await makeSchedule('* * * * * *', { workflow_id: id })
    const { items } = await dataOf(api.get(`workflow/used_by?id=${id}`))
    assert.deepEqual(items, [{ kind: 'trigger', id: triggerId, name: 'Report' }])
    await dataOf(api.post('workflow/delete', { id }))
    const { enabled, next } = await triggerOf(triggerId)
    assert.deepEqual([enabled, next], [false, []])

    const { id: workspace, token } = await dataOf(api.post('workspace/create', { name: 'short-lived' }))
    const theirs = api.as(token)
    const hook = await dataOf(
      theirs.post('trigger/create', {
        ...{ kind: 'webhook', name: 'x', workflow_id: await makeWorkflow(theirs, chain(output('say', 'x'))) },
      }),
    )
    await dataOf(api.post('workspace/delete', { id: workspace }))
    assert.equal((await callHook(hook, 'x')).status, 404)
  })
})

const callHook = async (
  { path, secret }: Data,
  body: string,
  headers: Record<string, string> = {},
  query = '',
): Promise<{ status: number; json: Data; headers: Headers }> => {
  const response = await fetch(`${server.base}${path}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...headers },
    body,
  })
  return { status: response.status, json: await response.json(), headers: response.headers }
}

const makeHook = (more: object = {}): Promise<Data> =>
  dataOf(api.post('trigger/create', { kind: 'webhook', name: 'Hook', workflow_id: workflow, ...more }))

describe('a webhook', () => {
  test('starts a run with the mapped inputs, and answers 202 with its id', async () => {
    const hook = await makeHook({
      inputs: {
        query: '{{#trigger.body.issue.title#}} of {{#trigger.query.repo#}}',
        kind: '{{#trigger.headers.x-github-event#}}',
        labels: '{{#trigger.body.issue.labels#}}',
        second: ['{{#trigger.body.issue.labels.1.name#}}'],
        key: '{{#trigger.headers.authorization#}}',
      },
    })
    assert.match(hook.path, /^\/hooks\/trig_[\w-]{22}$/)
    const issue = { title: 'It rains', labels: [{ name: 'a' }, { name: 'b' }] }
    const { status, json } = await callHook(
      hook,
      JSON.stringify({ issue }),
      { 'x-github-event': 'issues' },
      '?repo=tea',
    )
    assert.equal(status, 202)
    const run = await until('the end of the run', async () => {
      const found = await runOf(api, json.data.run_id)
      return found.status === 'succeeded' ? found : undefined
    })
    assert.deepEqual(
      [run.trigger, run.trigger_id, run.answer],
      ['webhook', hook.id, 'It rains of tea issues'],
    )
    assert.deepEqual(run.inputs, {
      query: 'It rains of tea',
      files: [],
      kind: 'issues',
      labels: issue.labels,
      second: ['b'],
      key: null,
    })
    assert.equal((await triggerOf(hook.id)).last_run.run_id, run.run_id)
    const renamed = await dataOf(api.post('trigger/update', { id: hook.id, name: 'Renamed' }))
    assert.equal(renamed.last_run?.run_id, run.run_id)
    assert.ok(!JSON.stringify(run).includes(hook.secret))
  })

  test('takes the whole body as the query by default: JSON, a form, a text or nothing', async () => {
    const hook = await makeHook({ webhook: { answer: 'sync' } })
    const answer = async (body: string, type = 'application/json'): Promise<string> => {
      const { status, json } = await callHook(hook, body, { 'content-type': type })
      assert.equal(status, 200, JSON.stringify(json))
      assert.equal(json.data.status, 'succeeded')
      return json.data.answer.trim()
    }
    assert.equal(await answer('{"a":[1]}'), '{"a":[1]}')
    assert.equal(await answer('["a"]'), '["a"]')
    assert.equal(await answer('{"id":123456789012345678}'), '{"id":"123456789012345678"}')
    assert.equal(await answer('a=1&b=x+y', 'application/x-www-form-urlencoded'), '{"a":"1","b":"x y"}')
    assert.equal(await answer('plain 茶', 'text/plain; charset=utf-8'), 'plain 茶')
    assert.equal(await answer(''), '')
    const refusals: [string, string, number][] = [
      ['{', 'application/json', 40002],
      ['x', 'image/png', 41501],
      [`"${'x'.repeat(limits.webhookBytes)}"`, 'application/json', 41301],
    ]
    for (const [body, type, code] of refusals)
      assert.equal((await callHook(hook, body, { 'content-type': type })).json.code, code)
    assert.equal((await triggerOf(hook.id)).failure.reason, 'unsupported_media_type')
    await answer('{}')
    assert.equal((await triggerOf(hook.id)).failure, null)
  })

  test('refuses a sender without the secret, and shows the secret only once', async () => {
    const hook = await makeHook({ webhook: { answer: 'sync' } })
    const code = async (headers: Record<string, string>): Promise<number> =>
      (await callHook(hook, '{}', headers)).json.code
    assert.equal(await code({ authorization: '' }), 40101)
    assert.equal(await code({ authorization: `Bearer ${hook.secret}x` }), 40102)
    assert.equal(await code({ authorization: '', 'x-webhook-secret': hook.secret }), 0)
    assert.equal((await callHook({ ...hook, path: '/hooks/trig_none' }, '{}')).json.code, 40401)
    for (const answer of [
      await api.post('trigger/list', {}),
      await api.post('trigger/update', { id: hook.id, name: 'New' }),
    ])
      assert.ok(!answer.text.includes(hook.secret))
    const { secret } = await dataOf(api.post('trigger/update', { id: hook.id, rotate_secret: true }))
    assert.equal(await code({}), 40102)
    assert.equal(await code({ authorization: `Bearer ${secret}` }), 0)
    const own = 'a-secret-of-my-own'
    assert.equal((await dataOf(api.post('trigger/update', { id: hook.id, secret: own }))).secret, own)
    assert.equal(await code({ authorization: `Bearer ${own}` }), 0)
    await dataOf(api.post('trigger/update', { id: hook.id, enabled: false }))
    assert.equal(await code({ authorization: `Bearer ${own}` }), 40401)
  })

  test('runs a delivery with an Idempotency-Key once', async () => {
    const refused = await callHook(await makeHook(), '{}', { 'idempotency-key': 'order 17' })
    assert.deepEqual([refused.json.code, refused.json.data.errors[0].path], [40001, 'header/Idempotency-Key'])
    const hook = await makeHook()
    const headers = { 'idempotency-key': 'delivery-1' }
    const first = await callHook(hook, '{"a":1}', headers)
    const again = await callHook(hook, '{"a":1}', headers)
    assert.equal(again.json.data.run_id, first.json.data.run_id)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal((await callHook(hook, '{"a":2}', headers)).json.code, 40901)
    assert.equal((await runsOf(hook.id)).length, 1)
  })

  test('checks signatures, their time, and runs a signed delivery once', async () => {
    const hook = await makeHook({ webhook: { auth: 'signature' } })
    assert.match(hook.secret, /^whsec_/)
    // Decoded, these are short, or no key at all.
    const later = { kind: 'webhook', name: 'l', workflow_id: workflow, secret: 'whsec_!!!!!!!!!!!!!!!!' }
    assert.equal((await api.post('trigger/create', later)).json.data.errors[0].path, '/secret')
    for (const secret of ['whsec_!!!!!!!!!!!!!!!!', 'whsec_c2hvcnQga2V5IQ==', `whsec_${'='.repeat(20)}`]) {
      const weak = await api.post('trigger/update', { id: hook.id, secret })
      assert.deepEqual([weak.json.code, weak.json.data.errors[0].path], [40001, '/secret'], secret)
    }
    const key = Buffer.from(hook.secret.slice('whsec_'.length), 'base64')
    const now = Math.floor(Date.now() / 1000)
    const signed = (id: string, timestamp: number, body: string) => ({
      authorization: '',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,AAAA v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    })
    const first = await callHook(hook, '{"a":1}', signed('msg_1', now, '{"a":1}'))
    assert.equal(first.status, 202)
    const replayed = await callHook(hook, '{"a":1}', signed('msg_1', now, '{"a":1}'))
    assert.equal(replayed.json.data.run_id, first.json.data.run_id)
    const reused = (await callHook(hook, '{"a":2}', signed('msg_1', now, '{"a":2}'))).json
    assert.deepEqual([reused.code, reused.data.errors[0].path], [40901, 'header/webhook-id'])
    assert.match(reused.message, /^This webhook-id was used/)
    const code = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await callHook(hook, body, headers)).json.code
    const { webhookWindowSeconds: window } = limits
    assert.equal(await code('{"a":2}', signed('msg_2', now, '{"a":1}')), 40102)
    assert.equal(await code('{}', { ...signed('msg_3', now, '{}'), 'webhook-id': 'msg_4' }), 40102)
    assert.equal(await code('{}', signed('msg_5', now - window - 60, '{}')), 40102)
    assert.equal(await code('{}', signed('msg_6', now + window + 60, '{}')), 40102)
    assert.equal(await code('{}', signed('msg_7', now - window + 60, '{}')), 0)
    assert.equal(await code('{}', { authorization: `Bearer ${hook.secret}` }), 40101)
    assert.equal((await runsOf(hook.id)).length, 2)
  })

  test('checks signatures in the form of GitHub, and runs an equal delivery once', async () => {
    const hook = await makeHook({ webhook: { auth: 'github' }, secret: 'chosen-by-the-sender' })
    const signed = (body: string) => ({
      authorization: '',
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'chosen-by-the-sender').update(body).digest('hex')}`,
    })
    const first = await callHook(hook, '{"ref":"main"}', signed('{"ref":"main"}'))
    assert.equal(first.status, 202)
    const again = await callHook(hook, '{"ref":"main"}', signed('{"ref":"main"}'))
    assert.equal(again.json.data.run_id, first.json.data.run_id)
    assert.equal((await callHook(hook, '{"ref":"other"}', signed('{"ref":"main"}'))).json.code, 40102)
    assert.equal((await callHook(hook, '{}', { authorization: '' })).json.code, 40101)
  })

  test('has the limits of its workspace', async () => {
    const { id, token } = await dataOf(api.post('workspace/create', { name: 'limited' }))
    const theirs = api.as(token)
    const theirWorkflow = await makeWorkflow(theirs, chain(output('say', 'x')))
    const request = { kind: 'webhook', name: 'x', workflow_id: theirWorkflow }
    const hook = await dataOf(theirs.post('trigger/create', request))
    await dataOf(api.post('workspace/update', { id, limits: { calls_per_minute: 3 } }))
    const statuses: number[] = []
    for (let call = 0; call < 4; call++) statuses.push((await callHook(hook, '{}')).status)
    assert.deepEqual(statuses, [202, 202, 202, 429])
    await dataOf(api.post('workspace/update', { id, limits: { calls_per_minute: 0 } }))
    let last: ApiAnswer | undefined
    for (let made = 1; made <= limits.triggersPerWorkspace; made++)
      last = await theirs.post('trigger/create', request)
    assert.match(last!.json.message, /100 triggers/)
  })
})
