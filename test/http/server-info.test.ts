import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { settings } from '../../src/config/settings.ts'
import type { ServerSetting } from '../../src/contract/server-record.ts'
import { type ServerInfo, serverInfoRoutes } from '../../src/http/routes/server-routes.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const secrets = {
  WEB_SEARCH_API_KEY: 'key-of-the-search',
  EMBEDDING_API_KEY: 'key-of-the-embedding',
  SECRET_KEY: 'seals-the-keys-of-models',
  BOOTSTRAP_TOKEN: 'token-of-the-operator',
}

describe('server info', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer({
      ...secrets,
      EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1?key=hidden-in-the-address',
      EMBEDDING_MODEL: 'embed',
      WEB_SEARCH_URL: 'http://127.0.0.1:1/',
    })
    api = server.api
  })
  after(() => server.stop())

  const settingsOf = async (client: ApiClient): Promise<ServerSetting[]> =>
    (await client.get('server')).json.data.settings

  test('returns the version, the storage and the configured features', async () => {
    const { version, database, files, features } = (await api.get('server')).json.data
    const program = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    assert.equal(version, program.version)
    assert.equal(database, server.config.databaseUrl === undefined ? 'sqlite' : 'postgres')
    assert.equal(files, 'disk')
    assert.deepEqual([features.embedding.ready, features.embedding.name], [true, 'embed'])
    assert.deepEqual([features.web_search.ready, features.web_search.name], [true, null])
    for (const feature of [features.model, features.rerank, features.transcription])
      assert.deepEqual([feature.ready, feature.name], [false, null])
    for (const feature of Object.values<{ settings: string[] }>(features))
      for (const name of feature.settings) assert.ok(name in settings, `${name} is not a setting`)
  })

  test('reports the model feature as ready only in a workspace with a default model', async () => {
    const team = api.as((await api.post('workspace/create', { name: 'With a model' })).json.data.token)
    const modelOf = async (client: ApiClient) => (await client.get('server')).json.data.features.model
    assert.equal((await modelOf(team)).ready, false)
    const model = { name: 'ours', base_url: 'http://127.0.0.1:1/v1', model: 'm', is_default: true }
    assert.equal((await team.post('model/create', model)).status, 200)
    const { ready, name } = await modelOf(team)
    assert.deepEqual([ready, name], [true, 'ours'])
    assert.equal((await modelOf(api)).ready, false)
  })

  test('returns all settings to the operator without secret values', async () => {
    const listed = await settingsOf(api)
    assert.deepEqual(
      listed.map(({ name, about, default: fallback }) => [name, about, fallback ?? '']),
      Object.entries(settings).map(([name, { description, fallback }]) => [name, description, fallback]),
    )
    const byName = new Map(listed.map(setting => [setting.name, setting]))
    const { is_set, is_secret, value, default: fallback } = byName.get('PORT')!
    assert.deepEqual([is_set, is_secret, value, fallback], [true, false, '0', '8080'])
    assert.equal(byName.get('HOST')!.is_set, false)
    assert.equal(byName.get('HOST')!.value, null)
    for (const name of [...Object.keys(secrets), 'DATABASE_URL']) {
      assert.equal(byName.get(name)!.is_secret, true, name)
      assert.equal(byName.get(name)!.value, null, name)
    }
    assert.equal(byName.get('WEB_SEARCH_API_KEY')!.is_set, true)
    assert.equal(byName.get('EMBEDDING_BASE_URL')!.value, 'http://127.0.0.1:1/v1?…')
    const text = JSON.stringify(listed)
    for (const secret of [...Object.values(secrets), 'hidden-in-the-address'])
      assert.ok(!text.includes(secret))
  })

  test('returns no settings to other tokens', async () => {
    const { data } = (await api.post('token/create', { name: 'admin', role: 'admin' })).json
    assert.deepEqual(await settingsOf(api.as(data.token)), [])
    const team = (await api.post('workspace/create', { name: 'Curious' })).json.data
    assert.deepEqual(await settingsOf(api.as(team.token)), [])
    const runner = await api.post('token/create', { name: 'r', role: 'runner', agent_ids: ['agent_x'] })
    assert.equal((await api.as(runner.json.data.token).get('server')).status, 403)
    assert.equal((await api.as(undefined).get('server')).status, 401)
  })
})

describe('server info with a model in the environment', () => {
  test('reports the model as ready in every workspace', async () => {
    const server = await startTestServer({ MODEL_BASE_URL: 'http://127.0.0.1:1/v1', MODEL_NAME: 'm-1' })
    try {
      const team = server.api.as((await server.api.post('workspace/create', { name: 'a' })).json.data.token)
      const { ready, name } = (await team.get('server')).json.data.features.model
      assert.deepEqual([ready, name], [true, 'm-1'])
    } finally {
      await server.stop()
    }
  })
})

test('retries reading the version after a failure', async () => {
  let reads = 0
  const version = async (): Promise<string> => {
    reads += 1
    if (reads === 1) throw new Error('The disk is busy')
    return '1.2.3'
  }
  const info = {
    version,
    database: 'sqlite',
    files: 'disk',
    features: {},
    settings: [],
  } as unknown as ServerInfo
  const models = { store: { list: async () => [] }, keyState: () => ({ problem: '' }) }
  const [asked] = serverInfoRoutes(info, { environment: undefined }, models as never)
  const ask = async () => await asked!.handler({ token: { workspaceId: 'w', operator: false } } as never)
  await assert.rejects(ask, /busy/)
  assert.equal(((await ask()) as { version: string }).version, '1.2.3')
  await ask()
  assert.equal(reads, 2)
})
