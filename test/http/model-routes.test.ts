import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { modelOptions } from '../../src/contract/model-records.ts'
import { modelRoutes } from '../../src/http/routes/model-routes.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { SecretBox } from '../../src/kernel/secret-box.ts'
import { ConfiguredModels } from '../../src/models/configured-models.ts'
import type { LanguageModel } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { ModelSettingsService } from '../../src/models/model-settings-service.ts'
import { ModelSettingsStore } from '../../src/models/model-settings-store.ts'
import { ModelTester } from '../../src/models/model-tester.ts'
import { type ModelConnectors, WorkspaceModels } from '../../src/models/workspace-models.ts'
import type { ApiClient } from '../support/api-client.ts'
import { type RouteServer, startRouteServer } from '../support/route-server.ts'

const key = 'sk-canary-0123456789-wxyz'
let server: RouteServer
let api: ApiClient
const receivedKeys: string[] = []

const answering = (name: string): LanguageModel => ({
  name,
  generate: async () => {
    if (name === 'broken') throw new ModelFailure('The provider refused the key', { retryable: false })
    return { text: ' ready ', toolCalls: [], usage: { promptTokens: 1, completionTokens: 1 } }
  },
})

before(async () => {
  server = await startRouteServer(({ database }) => {
    const box = new SecretBox('a secret of the tests')
    const settings = new ModelSettingsService(new ModelSettingsStore(database), box, systemClock)
    const connect = async (_: string, { model, apiKey }: { model: string; apiKey: string | undefined }) => {
      receivedKeys.push(apiKey ?? '')
      return answering(model)
    }
    const environment = { name: 'house', connect: () => answering('house') }
    const models = new ConfiguredModels(settings, connect, environment)
    const connectors = {} as ModelConnectors
    const others = new WorkspaceModels(settings, connectors, {})
    const tester = new ModelTester({ settings, models, connectors, clock: systemClock })
    return modelRoutes({ settings, models, others, tester })
  })
})
after(() => server.stop())

let workspaces = 0
beforeEach(async () => {
  const made = await server.api.post('workspace/create', { name: `w${++workspaces}` })
  api = server.api.as(made.json.data.token)
})

const fast = { name: 'fast', base_url: 'https://models.example/v1', model: 'fast-1', api_key: key }

describe('workspace models', () => {
  it('creates, updates, lists and deletes models without ever returning a key', async () => {
    const texts: string[] = []
    const post = async (path: string, body: object) => {
      const answer = await api.post(path, body)
      texts.push(answer.text)
      assert.equal(answer.status, 200, answer.text)
      return answer.json.data
    }
    const { id, created_at, updated_at, ...created } = await post('model/create', fast)
    assert.match(id, /^model_/)
    assert.match(created_at, /\+00:00$/)
    assert.equal(updated_at, created_at)
    assert.deepEqual(created, {
      name: 'fast',
      source: 'workspace',
      base_url: 'https://models.example/v1',
      model: 'fast-1',
      has_key: true,
      key_end: 'wxyz',
      problem: null,
      is_default: false,
      type: 'chat',
      headers: [],
      ...Object.fromEntries(Object.keys(modelOptions).map(name => [name, null])),
    })
    const changed = await post('model/update', { id, temperature: 0.5, max_tokens: 9, is_default: true })
    assert.deepEqual(
      [changed.temperature, changed.max_tokens, changed.is_default, changed.has_key],
      [0.5, 9, true, true],
    )
    assert.equal((await post('model/update', { id, temperature: null })).temperature, null)
    assert.equal((await post('model/update', { id, api_key: null })).has_key, false)
    assert.equal((await post('model/update', { id, api_key: key })).has_key, true)
    const listed = await post('model/list', {})
    assert.deepEqual(
      listed.items.map((item: Record<string, unknown>) => [item['id'], item['source'], item['is_default']]),
      [
        [id, 'workspace', true],
        ['environment', 'environment', false],
      ],
    )
    assert.deepEqual(await post('model/delete', { id }), {})
    assert.equal(
      (await post('model/list', {})).items[0].is_default,
      true,
      'the model from the environment becomes the default',
    )
    assert.ok(!texts.some(text => text.includes('canary')))
  })

  it('lists the model from the environment on the last page', async () => {
    for (const name of ['c', 'a', 'b']) await api.post('model/create', { ...fast, name })
    const page = async (number: number) =>
      (await api.post('model/list', { page: number, page_size: 3 })).json.data
    assert.deepEqual(
      (await page(1)).items.map((item: { name: string }) => item.name),
      ['a', 'b', 'c'],
    )
    const second = await page(2)
    assert.deepEqual([second.total, second.items[0].name], [4, 'house'])
  })

  it('rejects invalid fields and reports their paths', async () => {
    for (const [more, path] of [
      [{ name: ' ' }, '/name'],
      [{ name: 'n'.repeat(201) }, '/name'],
      [{ base_url: 'https://u:p@x/' }, '/base_url'],
      [{ base_url: undefined }, '/base_url'],
      [{ api_key: 'a\nb' }, '/api_key'],
      [{ temperature: 3 }, '/temperature'],
      [{ max_tokens: 0 }, '/max_tokens'],
      [{ is_default: 'yes' }, '/is_default'],
    ] as const) {
      const { json } = await api.post('model/create', { ...fast, ...more })
      assert.equal(json.code, 40001, path)
      assert.equal(json.data.errors[0].path, path)
    }
    await api.post('model/create', fast)
    assert.equal((await api.post('model/create', { ...fast, name: ' fast ' })).json.code, 40903)
    for (const path of ['update', 'delete', 'test'])
      assert.equal((await api.post(`model/${path}`, { id: 'model_none' })).json.code, 40401)
  })

  it('lets only admins change models and viewers list them', async () => {
    const { id } = (await api.post('model/create', fast)).json.data
    const as = async (role: string): Promise<ApiClient> =>
      api.as((await api.post('token/create', { name: role, role })).json.data.token)
    const editor = await as('editor')
    for (const [path, body] of [
      ['create', { ...fast, name: 'x' }],
      ['update', { id }],
      ['delete', { id }],
      ['test', { id }],
    ] as const)
      assert.equal((await editor.post(`model/${path}`, body)).json.code, 40301, path)
    assert.equal((await (await as('viewer')).post('model/list', {})).json.data.total, 2)
  })

  it('hides models from other workspaces', async () => {
    const { id } = (await api.post('model/create', fast)).json.data
    for (const path of ['update', 'delete', 'test'])
      assert.equal((await server.api.post(`model/${path}`, { id })).json.code, 40401, path)
    assert.equal((await server.api.post('model/list', {})).json.data.total, 1)
  })
})

describe('model test', () => {
  it('calls the model with its key and reports the result', async () => {
    const { id } = (await api.post('model/create', fast)).json.data
    const { data } = (await api.post('model/test', { id })).json
    assert.deepEqual([data.ok, data.code, data.message], [true, 'answered', 'ready'])
    assert.equal(receivedKeys.at(-1), key)
    await api.post('model/update', { id, model: 'broken' })
    const failed = (await api.post('model/test', { id })).json
    assert.deepEqual(
      [failed.code, failed.data.ok, failed.data.code, failed.data.message],
      [0, false, 'other', 'The provider refused the key'],
    )
    assert.equal((await api.post('model/test', { id: 'environment' })).json.data.ok, true)
  })
})
