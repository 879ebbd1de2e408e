import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { SecretBox } from '../../src/kernel/secret-box.ts'
import { SecretService } from '../../src/secrets/secret-service.ts'
import { SecretStore } from '../../src/secrets/secret-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

describe('secrets', () => {
  let opened: TestDatabase
  let store: SecretStore
  let now = 1000
  const clock = { now: () => now }
  const box = new SecretBox('a key of the tests')
  const service = (sealedWith: SecretBox | undefined = box) => new SecretService(store, sealedWith, clock)
  const set = (name: string, value: string, workspaceId = 'w') =>
    service().set(workspaceId, { name, value, by: 'Ada' })
  const page = { page: 1, pageSize: 10 }
  beforeEach(async () => {
    opened = await openTestDatabase()
    store = new SecretStore(opened.database)
    now = 1000
  })
  afterEach(() => opened.cleanup())

  test('are opened by name in their own workspace only', async () => {
    await set('crm', 'value of w')
    await set('crm', 'value of v', 'v')
    const found = await service().openMany('w', ['crm', 'absent'])
    assert.deepEqual([...found], [['crm', { value: 'value of w' }]])
    assert.deepEqual(await service().names('v'), new Set(['crm']))
    assert.deepEqual(await service().openMany('u', ['crm']), new Map())
  })

  test('keep their creation time when they are replaced', async () => {
    await set('crm', 'first value')
    now = 2000
    const replaced = await set('crm', 'second value')
    assert.equal(replaced.isNew, false)
    const { total, items } = await service().list('w', page)
    assert.equal(total, 1)
    assert.deepEqual(items[0], {
      name: 'crm',
      createdAt: 1000,
      updatedAt: 2000,
      updatedBy: 'Ada',
      problem: undefined,
    })
    assert.deepEqual((await service().openMany('w', ['crm'])).get('crm'), { value: 'second value' })
  })

  test('set at the same moment are one secret', async () => {
    const values = Array.from({ length: 10 }, (_, at) => `value number ${at}`)
    await Promise.all(values.map(value => set('crm', value)))
    const found = (await service().openMany('w', ['crm'])).get('crm')
    assert.ok(found && 'value' in found && values.includes(found.value))
    assert.equal((await service().list('w', page)).total, 1)
  })

  test('are stored encrypted, bound to their workspace and name', async () => {
    await set('crm', 'value of w')
    const rows = await opened.database.all<{ sealed: string }>('SELECT sealed FROM secrets')
    assert.doesNotMatch(rows[0]!.sealed, /value/)
    const [secret] = await store.findMany('w', ['crm'])
    await store.set('w', { ...secret!, name: 'stolen' }, { maxSecrets: limits.secretsPerWorkspace })
    const stolen = (await service().openMany('w', ['stolen'])).get('stolen')
    assert.ok(stolen && 'problem' in stolen)
  })

  test('report that SECRET_KEY has changed, or is missing', async () => {
    await set('crm', 'value of w')
    for (const other of [new SecretBox('another key'), undefined]) {
      const opener = new SecretService(store, other, clock)
      const found = (await opener.openMany('w', ['crm'])).get('crm')
      assert.ok(found && 'problem' in found && found.problem.includes('SECRET_KEY'))
      assert.match((await opener.list('w', page)).items[0]?.problem ?? '', /"crm".*SECRET_KEY.*secret\/set/)
    }
    const without = new SecretService(store, undefined, clock)
    await assert.rejects(without.set('w', { name: 'crm', value: 'long enough', by: '' }), {
      reason: 'not_configured',
    })
  })

  test('are removed once', async () => {
    await set('crm', 'value of w')
    await service().remove('w', 'crm')
    assert.deepEqual(await service().names('w'), new Set())
    await assert.rejects(service().remove('w', 'crm'), { reason: 'not_found' })
  })
})
