import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { SecretBox } from '../../src/kernel/secret-box.ts'
import { ConfiguredModels, type ModelConnection } from '../../src/models/configured-models.ts'
import { type LanguageModel, ModelNotConfigured, type ModelRequest } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { ModelSettingsService } from '../../src/models/model-settings-service.ts'
import { ModelSettingsStore } from '../../src/models/model-settings-store.ts'
import { askShortly, testModel } from '../../src/models/test-model.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const key = 'sk-0123456789abcdef-wxyz'
const clock = { now: () => 1000 }
const box = new SecretBox('a secret of the tests')

let opened: TestDatabase
let store: ModelSettingsStore
let settings: ModelSettingsService
let connections: ModelConnection[]
let requests: ModelRequest[]
before(async () => {
  opened = await openTestDatabase()
  store = new ModelSettingsStore(opened.database)
})
after(() => opened.cleanup())

let workspaces = 0
let workspace: string
beforeEach(() => {
  workspace = `w${++workspaces}`
  settings = new ModelSettingsService(store, box, clock)
  connections = []
  requests = []
})

const answering = (name: string): LanguageModel => ({
  name,
  generate: async request => {
    requests.push(request)
    return { text: name, toolCalls: [], usage: { promptTokens: 1, completionTokens: 1 } }
  },
})

const connect = async (_: string, connection: ModelConnection): Promise<LanguageModel> => {
  connections.push(connection)
  return answering(connection.model)
}

const fromEnvironment = { name: 'house', connect: () => answering('house-1') }
const models = (environment?: typeof fromEnvironment) => new ConfiguredModels(settings, connect, environment)
const wanted = { name: 'fast', baseUrl: 'https://models.example/v1', model: 'fast-1', apiKey: key }
const notConfigured = (message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof ModelNotConfigured)
  if (typeof message === 'string') assert.equal(error.message, message)
  else assert.match(error.message, message)
  return true
}

describe('finding a model', () => {
  it('fails with instructions when no model is configured', async () => {
    const message =
      'No model is configured: set MODEL_BASE_URL and MODEL_NAME (and MODEL_API_KEY), or add one with POST /api/v1/model/create'
    await assert.rejects(models().find(workspace, undefined), notConfigured(message))
    await assert.rejects(models().find(workspace, ''), notConfigured(message))
    await assert.rejects(models().find(workspace, 'x'), notConfigured(/no model "x".*MODEL_BASE_URL/))
    assert.equal(await models().defaultName(workspace), '')
  })

  it('prefers the model of the workspace to that of the settings with the same name', async () => {
    const both = models(fromEnvironment)
    assert.equal((await both.find(workspace, 'house')).name, 'house-1')
    await settings.create(workspace, { ...wanted, name: 'house', isDefault: false })
    assert.equal((await both.find(workspace, 'house')).name, 'fast-1')
    assert.equal((await both.find('elsewhere', 'house')).name, 'house-1')
    assert.equal(await both.find('elsewhere', 'house'), await both.find('elsewhere', 'house'))
    assert.notEqual(await both.find('elsewhere', 'house'), await both.find('another', 'house'))
    await assert.rejects(
      both.find('elsewhere', 'fast'),
      notConfigured(/no model "fast": choose one of house, or add/),
    )
  })

  it('uses the default of the workspace where none is named, then that of the settings', async () => {
    const both = models(fromEnvironment)
    const { id } = await settings.create(workspace, { ...wanted, isDefault: false })
    assert.equal((await both.find(workspace, undefined)).name, 'house-1')
    assert.equal(await both.defaultName(workspace), 'house')
    await assert.rejects(
      models().find(workspace, undefined),
      notConfigured(/There is no default model: choose one of fast/),
    )
    await settings.update(workspace, id, { isDefault: true })
    assert.equal((await both.find(workspace, undefined)).name, 'fast-1')
    assert.equal(await both.defaultName(workspace), 'fast')
  })

  it('connects with the decrypted key, once for each version', async () => {
    const { id } = await settings.create(workspace, wanted)
    const all = models()
    await all.find(workspace, 'fast')
    await all.find(workspace, 'fast')
    const { apiKey, name, baseUrl, model } = wanted
    assert.deepEqual(connections, [{ apiKey, headers: {}, name, baseUrl, model, options: {} }])
    await settings.update(workspace, id, { model: 'fast-2' })
    assert.equal((await all.find(workspace, 'fast')).name, 'fast-2')
    assert.equal(connections.length, 2)
    await settings.remove(workspace, id)
    await assert.rejects(all.find(workspace, 'fast'), ModelNotConfigured)
  })

  it('fills in options that the request omits', async () => {
    await settings.create(workspace, { ...wanted, temperature: 0.3, maxTokens: 50 })
    const model = await models().find(workspace, 'fast')
    const { signal } = new AbortController()
    await model.generate({ messages: [] }, () => {}, signal)
    await model.generate({ messages: [], temperature: 0, maxTokens: 7 }, () => {}, signal)
    assert.deepEqual(
      requests.map(({ temperature, maxTokens }) => [temperature, maxTokens]),
      [
        [0.3, 50],
        [0, 7],
      ],
    )
  })

  it('requires the key again after SECRET_KEY changed', async () => {
    const created = await settings.create(workspace, wanted)
    for (const other of [new SecretBox('another secret'), undefined]) {
      settings = new ModelSettingsService(store, other, clock)
      await assert.rejects(
        models().find(workspace, 'fast'),
        notConfigured(/SECRET_KEY has changed: enter the key again/),
      )
      const state = settings.keyState(workspace, created)
      assert.deepEqual([state.hasKey, state.end], [true, ''])
      assert.match(state.problem, /SECRET_KEY/)
    }
    settings = new ModelSettingsService(store, new SecretBox('another secret'), clock)
    await settings.update(workspace, created.id, { apiKey: 'sk-new' })
    await models().find(workspace, 'fast')
    assert.equal(connections.at(-1)!.apiKey, 'sk-new')
  })
})

describe('model settings', () => {
  const refused = (reason: string, path: string) => (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.deepEqual([error.reason, error.errors[0]?.path], [reason, path])
    return true
  }

  it('store the key sealed, and show only its end', async () => {
    const created = await settings.create(workspace, wanted)
    const rows = JSON.stringify(await opened.database.all('SELECT * FROM models'))
    assert.ok(!rows.includes(key) && !rows.includes('wxyz'))
    assert.deepEqual(settings.keyState(workspace, created), {
      ...{ hasKey: true, end: 'wxyz', headers: [], problem: '' },
    })
    const short = await settings.update(workspace, created.id, { apiKey: 'sk-short' })
    assert.deepEqual(settings.keyState(workspace, short), {
      ...{ hasKey: true, end: '', headers: [], problem: '' },
    })
    const none = await settings.update(workspace, created.id, { apiKey: null })
    assert.deepEqual(settings.keyState(workspace, none), {
      ...{ hasKey: false, end: '', headers: [], problem: '' },
    })
  })

  it('keep the key when it is omitted, but never send it to another server', async () => {
    const { id } = await settings.create(workspace, wanted)
    const moved = await settings.update(workspace, id, {
      baseUrl: 'https://models.example/v2',
      name: 'renamed',
    })
    assert.equal(settings.openSecrets(workspace, moved).apiKey, key)
    for (const baseUrl of [
      'https://evil.example/v1',
      'http://models.example/v1',
      'https://models.example:444/v1',
    ])
      await assert.rejects(
        settings.update(workspace, id, { baseUrl }),
        refused('invalid_request', '/api_key'),
      )
    assert.equal((await settings.get(workspace, id)).baseUrl, 'https://models.example/v2')
    const other = await settings.update(workspace, id, { baseUrl: 'https://evil.example/v1', apiKey: null })
    assert.equal(other.sealedKey, undefined)
    await settings.update(workspace, id, { baseUrl: 'https://third.example/v1' })
  })

  it('do not use a key of another model or another workspace', async () => {
    const first = await settings.create(workspace, wanted)
    const second = await settings.create(workspace, { ...wanted, name: 'second', apiKey: undefined })
    const stolen = { ...second, sealedKey: first.sealedKey }
    assert.throws(() => settings.openSecrets(workspace, stolen), /cannot be decrypted/)
    assert.throws(() => settings.openSecrets('elsewhere', first), /cannot be decrypted/)
  })

  it('reject invalid addresses and keys', async () => {
    for (const baseUrl of [
      'models.example',
      'ftp://a/',
      'https://u:p@a/v1',
      'https://u@a/',
      'file:///etc',
      'https://a/#x',
    ])
      await assert.rejects(
        settings.create(workspace, { ...wanted, baseUrl }),
        refused('invalid_request', '/base_url'),
      )
    for (const apiKey of ['a b', 'a\r\nHost: x', 'ключ', '\u007f'])
      await assert.rejects(
        settings.create(workspace, { ...wanted, apiKey }),
        refused('invalid_request', '/api_key'),
      )
    await settings.create(workspace, wanted)
    await assert.rejects(settings.create(workspace, wanted), refused('already_exists', '/name'))
    assert.equal((await store.list(workspace)).length, 1)
  })

  it('require SECRET_KEY only for a key', async () => {
    settings = new ModelSettingsService(store, undefined, clock)
    await assert.rejects(settings.create(workspace, wanted), /set SECRET_KEY/)
    const { id } = await settings.create(workspace, { ...wanted, apiKey: undefined })
    await assert.rejects(settings.update(workspace, id, { apiKey: key }), /set SECRET_KEY/)
  })
})

describe('testing a model', () => {
  it('returns the answer', async () => {
    assert.deepEqual(await testModel(signal => askShortly(answering('ready'), signal), clock), {
      ok: true,
      code: 'answered',
      latencyMilliseconds: 0,
      message: 'ready',
    })
  })

  it('returns an empty answer as a success with a code of its own', async () => {
    const { ok, code, message } = await testModel(signal => askShortly(answering(' \n'), signal), clock)
    assert.deepEqual([ok, code, message], [true, 'empty_answer', 'The answer was empty.'])
  })

  it('returns the reason of a failure instead of failing', async () => {
    const broken: LanguageModel = {
      name: 'x',
      generate: () =>
        Promise.reject(new ModelFailure('Check the key', { kind: 'key_rejected', retryable: false })),
    }
    assert.deepEqual(await testModel(signal => askShortly(broken, signal), clock), {
      ok: false,
      code: 'key_rejected',
      latencyMilliseconds: 0,
      message: 'Check the key',
    })
    const missing = () => Promise.reject(new ModelNotConfigured('Send the key again'))
    const { code, message } = await testModel(missing, clock)
    assert.deepEqual([code, message], ['not_configured', 'Send the key again'])
    await assert.rejects(
      testModel(() => Promise.reject(new TypeError('an internal error')), clock),
      TypeError,
    )
  })
})
