import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AccessStore, type TokenRecord } from '../../src/access/access-store.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const token = (id: string, workspaceId: string, more: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  workspaceId,
  name: id,
  role: 'editor',
  operator: false,
  agentIds: [],
  userId: undefined,
  createdAt: 1,
  expiresAt: undefined,
  ...more,
})
const page = { page: 1, pageSize: 100 }

describe('access store', () => {
  let opened: TestDatabase
  let store: AccessStore
  before(async () => {
    opened = await openTestDatabase()
    store = new AccessStore(opened.database)
    await store.addWorkspace({ id: 'home', name: 'home', createdAt: 1 })
  })
  after(() => opened.cleanup())

  test('finds a token by its hash, with all stored fields and the limits of its workspace', async () => {
    const bound = { agentIds: ['agent_a', 'agent_b'], userId: 'user_1' }
    const record = token('t1', 'home', { role: 'runner', ...bound, expiresAt: 99 })
    assert.equal(await store.addToken(record, 'hash1'), true)
    assert.deepEqual(await store.findToken('hash1'), { ...record, limits: undefined })
    await store.setLimits('home', { documents: 5, storageBytes: 7 })
    await store.setLimits('home', { storageBytes: null })
    assert.deepEqual((await store.findToken('hash1'))?.limits, { documents: 5 })
    assert.equal(await store.findToken('hash2'), undefined)
  })

  test('rejects a token for a missing workspace', async () => {
    assert.equal(await store.addToken(token('t', 'nowhere'), 'hash nowhere'), false)
    assert.equal(await store.findToken('hash nowhere'), undefined)
  })

  test('deletes a token only within its workspace', async () => {
    await store.addWorkspace({ id: 'other', name: 'other', createdAt: 2 })
    await store.addToken(token('t2', 'home'), 'hash t2')
    assert.equal(await store.removeToken('other', 't2'), false)
    assert.ok(await store.findToken('hash t2'))
    assert.equal(await store.removeToken('home', 't2'), true)
    assert.equal(await store.findToken('hash t2'), undefined)
    assert.deepEqual((await store.listTokens('other', page)).items, [])
  })

  test('rejects a duplicate workspace name or id', async () => {
    assert.equal(await store.addWorkspace({ id: 'home', name: 'different', createdAt: 1 }), false)
    assert.equal(await store.addWorkspace({ id: 'different', name: 'home', createdAt: 1 }), false)
    assert.equal((await store.findWorkspace('home'))?.name, 'home')
  })

  test('keeps one operator token and replaces it only on request', async () => {
    const operator = token('op', 'home', { operator: true, role: 'admin' })
    assert.equal(await store.setOperatorToken(operator, 'op1', false), true)
    assert.equal(await store.setOperatorToken({ ...operator, id: 'op2' }, 'op2', false), false)
    assert.equal(await store.findToken('op2'), undefined)
    assert.equal(await store.setOperatorToken({ ...operator, id: 'op3' }, 'op3', true), true)
    assert.equal(await store.setOperatorToken({ ...operator, id: 'op4' }, 'op3', true), false)
    assert.equal(await store.findToken('op1'), undefined)
    assert.equal(await store.removeToken('home', 'op3'), false)
    assert.equal((await store.findToken('op3'))?.operator, true)
  })

  test('creates one operator token when several processes start concurrently', async () => {
    const another = await openTestDatabase()
    const stores = [another.database, await another.openAgain(), await another.openAgain()].map(
      each => new AccessStore(each),
    )
    const won = await Promise.all(
      stores.map(async (each, at) => {
        await each.addWorkspace({ id: 'home', name: 'home', createdAt: 1 })
        return each.setOperatorToken(token(`op${at}`, 'home', { operator: true }), `hash${at}`, false)
      }),
    )
    assert.equal(won.filter(Boolean).length, 1)
    assert.equal((await stores[0]!.listTokens('home', page)).total, 1)
    await another.cleanup()
  })

  test('hides a deleted workspace immediately and deletes its rows in the background', async () => {
    const workflows = new WorkflowStore(opened.database)
    await store.addWorkspace({ id: 'doomed', name: 'doomed', createdAt: 3 })
    await store.addToken(token('d', 'doomed'), 'hash d')
    for (let at = 0; at < 3; at++)
      await workflows.save('doomed', {
        id: `w${at}`,
        name: undefined,
        graph: '1',
        nodeCount: 0,
        hasCredentials: false,
        expected: 'anything',
        at,
      })
    assert.deepEqual(await store.removeWorkspace('doomed', 5), [])
    assert.equal(await store.removeWorkspace('doomed', 6), undefined)
    assert.equal(await store.findToken('hash d'), undefined)
    assert.equal(await store.findWorkspace('doomed'), undefined)
    assert.equal(await store.addToken(token('e', 'doomed'), 'hash e'), false)
    assert.equal(await store.addWorkspace({ id: 'again', name: 'doomed', createdAt: 7 }), true)
    while (await store.purge(5)) {
      // The workspace row stays until all of its data is deleted.
    }
    assert.ok(await opened.database.get('SELECT 1 AS one FROM workspaces WHERE id = ?', 'doomed'))
    while (await store.purge(6)) {
      // Each sweep deletes one batch.
    }
    assert.equal(await workflows.find('doomed', 'w0'), undefined)
    assert.equal(
      await opened.database.get('SELECT 1 AS one FROM workspaces WHERE id = ?', 'doomed'),
      undefined,
    )
    assert.ok(await store.findWorkspace('again'))
  })
})
