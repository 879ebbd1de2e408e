import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { freshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain, output } from '../support/run-graphs.ts'
import { serverSource, spawnServer } from '../support/server-process.ts'
import { startSinkServer } from '../support/sink-server.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' }

test('prints the token once on the first start, readable by the operator only', async () => {
  const database = await freshDatabase()
  // As users start it: from the sources.
  const first = await spawnServer(database, {}, [], serverSource)
  const printed = /Your token\s+(banyan_\S+)/.exec(first.output())?.[1]
  assert.ok(printed)
  const path = join(database.folder, 'bootstrap-token')
  assert.equal(readFileSync(path, 'utf8').trim(), printed)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal((await first.api.post('workspace/list', {})).status, 200)
  assert.equal(await first.kill('SIGTERM'), 0)

  const second = await spawnServer(database)
  assert.doesNotMatch(second.output(), /banyan_/)
  assert.equal((await second.api.as(printed).post('workspace/list', {})).status, 200)
  await second.kill('SIGTERM')

  const third = await spawnServer(database, token)
  assert.equal((await third.api.post('workspace/list', {})).status, 200)
  assert.equal(
    (await third.api.as(printed).post('workspace/list', {})).status,
    401,
    'BOOTSTRAP_TOKEN replaces it',
  )
  await third.kill('SIGTERM')

  rmSync(path)
  const fourth = await spawnServer(database)
  assert.equal((await fourth.api.as(token.BOOTSTRAP_TOKEN).post('workspace/list', {})).status, 200)
  assert.equal(existsSync(path), false, 'no file with an invalid token is left')
  await fourth.kill('SIGTERM')
  await database.drop()
})

test('stays accessible after a crash while the first token was written', async () => {
  const database = await freshDatabase()
  writeFileSync(join(database.folder, 'bootstrap-token'), '')
  const server = await spawnServer(database)
  assert.match(server.output(), /Your token\s+banyan_/)
  assert.equal((await server.api.post('workspace/list', {})).status, 200)
  await server.kill('SIGTERM')
  await database.drop()
})

test('serves from all servers that start concurrently on the same data', async () => {
  const database = await migratedDatabase()
  const servers = await Promise.all(Array.from({ length: 3 }, () => spawnServer(database, token)))
  await Promise.all(
    servers.map((server, at) =>
      server.api.post('workflow/update', { id: `from_${at}`, workflow: { nodes: [], edges: [] } }),
    ),
  )
  for (const server of servers) assert.equal((await server.api.post('workflow/list', {})).json.data.total, 3)
  // A token revoked on one server is rejected by the others immediately.
  const { data } = (await servers[0]!.api.post('token/create', { name: 'shared', role: 'viewer' })).json
  for (const server of servers)
    assert.equal((await server.api.as(data.token).get('workflow?id=from_0')).status, 200)
  await servers[1]!.api.post('token/delete', { id: data.id })
  for (const server of servers)
    assert.equal((await server.api.as(data.token).get('workflow?id=from_0')).status, 401)
  for (const server of servers) assert.equal(await server.kill('SIGTERM'), 0)
  await database.drop()
})

test('completes the current request on shutdown, and handles a repeated signal as one', async () => {
  const database = await migratedDatabase()
  const server = await spawnServer(database, token)
  const content = randomBytes(200_000)
  const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const upload = request(`${server.base}/api/v1/files/upload?name=slow.bin`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.BOOTSTRAP_TOKEN}`,
        'content-type': 'application/octet-stream',
        'content-length': content.length,
      },
    })
    upload.on('error', reject)
    upload.on('response', response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    upload.write(content.subarray(0, 100_000))
    const interrupt = async (): Promise<void> => {
      const temporary = join(database.folder, 'files/tmp')
      await until('the upload has begun', async () => readdirSync(temporary).length > 0)
      process.kill(server.pid, 'SIGTERM')
      process.kill(server.pid, 'SIGTERM')
      await until('the shutdown', async () => (await server.api.get('/readyz')).status === 503)
      upload.end(content.subarray(100_000))
    }
    interrupt().catch(reject)
  })
  const { status, text } = await answer
  assert.equal(status, 200)
  assert.equal(await server.ended, 0)

  const again = await spawnServer(database, token)
  const { file_id } = JSON.parse(text).data
  assert.deepEqual((await again.api.bytes(`files/${file_id}`)).bytes, content)
  await again.kill('SIGTERM')
  await database.drop()
})

test('a request that waits for a run gets its result, if the run ends soon after the signal', async () => {
  const database = await migratedDatabase()
  const sink = await startSinkServer()
  const gate = Promise.withResolvers<void>()
  sink.answer(async () => {
    await gate.promise
    return undefined
  })
  const server = await spawnServer(database, { ...token, EGRESS_ALLOW: '127.0.0.1' })
  const call = node('call', 'http_request', { method: 'POST', url: `${sink.origin}/held`, body: 'x' })
  const id = await makeWorkflow(server.api, chain(call, output('say', 'done')))
  const answer = runWorkflow(server.api, id, '')
  await until('the request', async () => sink.received.length === 1)
  process.kill(server.pid, 'SIGTERM')
  await until('the shutdown', async () => (await server.api.get('/readyz')).status === 503)
  gate.resolve()
  assert.equal((await answer).status, 'succeeded')
  assert.equal(await server.ended, 0)
  await sink.stop()
  await database.drop()
})

test('refuses to start with invalid settings, with one sentence for each', async () => {
  const database = await freshDatabase()
  await assert.rejects(
    spawnServer(database, { PORT: 'x', LOG_LEVEL: 'loud', BOOTSTRAP_TOKEN: 'short' }),
    /PORT must be a whole number.*BOOTSTRAP_TOKEN must be 16.*LOG_LEVEL must be one of/s,
  )
  await database.drop()
})

test('logs requests by trace id, without secrets', async () => {
  const database = await migratedDatabase()
  const server = await spawnServer(database, token)
  const made = (
    await server.api.post(
      'token/create',
      { name: 'canary', role: 'editor' },
      { headers: { 'idempotency-key': 'canary-key' } },
    )
  ).json.data
  const client = server.api.as(made.token)
  await client.get('workflow?id=a', { headers: { 'x-traceid': 'trace-of-the-test' } })
  await client.post('workflow/update', {
    id: 'secret',
    workflow: { nodes: [], edges: [], password: 'canary-in-a-graph' },
  })
  await client.get('workflow?id=a&token=canary-in-a-query')
  await server.api.as('canary-wrong-token').get('workflow?id=a')
  assert.equal((await client.get('/metrics')).status, 200)
  const metrics = (await client.get('/metrics')).text
  assert.match(metrics, /banyan_http_requests_total\{route="workflow.get",status="200"\}/)
  await server.kill('SIGTERM')
  const output = server.output()
  const line = output.split('\n').find(each => each.includes('trace-of-the-test'))
  assert.ok(line, output)
  const entry = JSON.parse(line)
  assert.deepEqual(
    [entry.operation, entry.status, entry.workspace_id, entry.token_id],
    ['workflow.get', 200, 'default', made.id],
  )
  for (const secret of [
    made.token,
    token.BOOTSTRAP_TOKEN,
    'canary-in-a-graph',
    'canary-in-a-query',
    'canary-wrong-token',
  ])
    assert.ok(!output.includes(secret) && !metrics.includes(secret), `${secret} leaked`)
  await database.drop()
})
