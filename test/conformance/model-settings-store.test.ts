import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ModelSettings, ModelSettingsStore } from '../../src/models/model-settings-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const settings = (id: string, more: Partial<ModelSettings> = {}): ModelSettings => ({
  id,
  type: 'chat',
  name: `name of ${id}`,
  baseUrl: 'https://models.example/v1?api=1',
  model: 'big-1',
  sealedKey: undefined,
  sealedHeaders: undefined,
  options: {},
  isDefault: false,
  maxTokens: undefined,
  temperature: undefined,
  version: 1,
  createdAt: 5,
  updatedAt: 5,
  ...more,
})

describe('model settings store', () => {
  let opened: TestDatabase
  let store: ModelSettingsStore
  beforeEach(async () => {
    opened = await openTestDatabase()
    store = new ModelSettingsStore(opened.database)
  })
  afterEach(() => opened.cleanup())

  const options = { maxModels: 100 }
  const create = (id: string, more: Partial<ModelSettings> = {}, workspaceId = 'w') =>
    store.create(workspaceId, settings(id, more), options)
  const defaults = async (): Promise<string[]> =>
    (await store.list('w')).filter(({ isDefault }) => isDefault).map(({ id }) => id)

  test('returns settings as they were created, by id and by name', async () => {
    const full = settings('a', {
      name: 'Größe 大',
      sealedKey: 'v1.abc',
      sealedHeaders: 'v1.def',
      options: { topP: 0.5, stop: ['END'], supports: { vision: true }, extraBody: { deep: [1, null] } },
      isDefault: true,
      maxTokens: 4096,
      temperature: 0.7,
    })
    assert.deepEqual(await store.create('w', full, options), full)
    assert.deepEqual(await store.find('w', { id: 'a' }), full)
    assert.deepEqual(await store.find('w', { type: 'chat', name: 'Größe 大' }), full)
    assert.deepEqual(await store.find('w', { type: 'chat', isDefault: true }), full)
    const bare = settings('b')
    await store.create('w', bare, options)
    assert.deepEqual(await store.find('w', { id: 'b' }), bare)
    assert.deepEqual(await store.list('w'), [full, bare])
    assert.equal(await store.find('w', { id: 'c' }), undefined)
    assert.equal(await store.find('w', { type: 'chat', name: 'größe 大' }), undefined)
  })

  test('has one default for each type', async () => {
    await create('a', { isDefault: true })
    await create('b', { isDefault: true, type: 'embedding' })
    assert.deepEqual((await defaults()).sort(), ['a', 'b'])
    await create('c', { isDefault: true, type: 'embedding' })
    assert.deepEqual((await defaults()).sort(), ['a', 'c'])
    await store.update('w', 'b', () => ({ isDefault: true }), 6)
    assert.deepEqual((await defaults()).sort(), ['a', 'b'])
    assert.equal((await store.find('w', { type: 'embedding', isDefault: true }))?.id, 'b')
    assert.equal(await store.find('w', { type: 'rerank', isDefault: true }), undefined)
  })

  test('rejects a duplicate name in a workspace, and limits the number of models', async () => {
    await create('a', { name: 'fast' })
    assert.equal(await create('b', { name: 'fast' }), 'name_taken')
    assert.equal(typeof (await create('b', { name: 'fast' }, 'other')), 'object')
    await create('b', { name: 'slow' })
    assert.equal(await store.update('w', 'b', () => ({ name: 'fast' }), 9), 'name_taken')
    assert.equal((await store.find('w', { id: 'b' }))?.name, 'slow')
    assert.equal(await store.create('w', settings('c'), { maxModels: 2 }), 'too_many')
    assert.ok(await store.remove('w', 'a'))
    assert.equal(
      typeof (await store.create('w', settings('c', { name: 'fast' }), { maxModels: 2 })),
      'object',
    )
  })

  test('grants a name to one of many concurrent creates', async () => {
    const other = new ModelSettingsStore(await opened.openAgain())
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? store : other).create('w', settings(`m${index}`, { name: 'wanted' }), options),
      ),
    )
    assert.equal(made.filter(each => typeof each === 'object').length, 1)
    assert.equal(made.filter(each => each === 'name_taken').length, 7)
  })

  test('keeps at most one default, also under concurrent updates', async () => {
    await create('a', { isDefault: true })
    await create('b', { isDefault: true })
    assert.deepEqual(await defaults(), ['b'])
    await store.update('w', 'a', () => ({ isDefault: true }), 9)
    assert.deepEqual(await defaults(), ['a'])
    await store.update('w', 'a', () => ({ model: 'other' }), 10)
    assert.deepEqual(await defaults(), ['a'])
    await store.update('w', 'a', () => ({ isDefault: false }), 11)
    assert.equal(await store.find('w', { type: 'chat', isDefault: true }), undefined)

    const other = new ModelSettingsStore(await opened.openAgain())
    await Promise.all(
      ['a', 'b', 'a', 'b'].map((id, index) =>
        (index % 2 ? store : other).update('w', id, () => ({ isDefault: true }), 12),
      ),
    )
    assert.equal((await defaults()).length, 1)
    await create('x', { isDefault: true }, 'other')
    assert.equal((await defaults()).length, 1)
  })

  test('makes a created model the default if there is none', async () => {
    const ifNone = (id: string) => store.create('w', { ...settings(id), isDefault: 'if_none' }, options)
    assert.deepEqual(((await ifNone('a')) as ModelSettings).isDefault, true)
    assert.deepEqual(((await ifNone('b')) as ModelSettings).isDefault, false)
    assert.deepEqual(await defaults(), ['a'])
  })

  test('updates the given fields and the version, and applies all concurrent updates', async () => {
    const before = settings('a', { sealedKey: 'v1.abc', maxTokens: 9 })
    await store.create('w', before, options)
    const changed = await store.update('w', 'a', () => ({ temperature: 0, maxTokens: undefined }), 77)
    const expected = { ...before, temperature: 0, maxTokens: undefined, version: 2, updatedAt: 77 }
    assert.deepEqual(changed, expected)
    assert.deepEqual(await store.find('w', { id: 'a' }), expected)
    const other = new ModelSettingsStore(await opened.openAgain())
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 ? store : other).update('w', 'a', ({ model }) => ({ model: `${model}+` }), 80),
      ),
    )
    const last = await store.find('w', { id: 'a' })
    assert.deepEqual([last?.version, last?.model], [8, 'big-1++++++'])
    assert.equal(await store.update('w', 'none', () => ({}), 81), undefined)
  })

  test('isolates workspaces that use the same ids', async () => {
    await create('a', { name: 'mine' }, 'mine')
    await create('a', { name: 'theirs' }, 'theirs')
    assert.equal(await store.find('mine', { type: 'chat', name: 'theirs' }), undefined)
    await store.update('mine', 'a', () => ({ model: 'changed', isDefault: true }), 9)
    assert.deepEqual(await store.find('theirs', { id: 'a' }), settings('a', { name: 'theirs' }))
    assert.ok(await store.remove('mine', 'a'))
    assert.equal(await store.remove('mine', 'a'), false)
    assert.equal((await store.list('theirs')).length, 1)
  })
})
