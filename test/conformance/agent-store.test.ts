import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import type { Agent } from '../../src/agents/agent.ts'
import { AgentStore } from '../../src/agents/agent-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  id,
  name: `Name of ${id}`,
  intro: '',
  memory: {},
  learn: {},
  config: {},
  access: 'private',
  allowedOrigins: [],
  createdAt: 1000,
  updatedAt: 1000,
  ...more,
})
const firstPage = { page: 1, pageSize: 10 }

describe('agent store', () => {
  let opened: TestDatabase
  let store: AgentStore
  before(async () => {
    opened = await openTestDatabase()
    store = new AgentStore(opened.database)
  })
  after(() => opened.cleanup())

  test('returns stored JSON unchanged', async () => {
    const config = JSON.parse('{"__proto__":{"x":1},"voice":{"a":"\\u0000\\ud800"},"人设":"😀"}')
    const memory = { city: { name: '城市', default: [1, { a: null }] } }
    const stored = agent('a_json', { config, memory, learn: { kb_1: {} }, access: 'public' })
    await store.add('w', stored)
    assert.deepEqual(await store.find('w', 'a_json'), stored)
  })

  test('finds an agent only within its workspace', async () => {
    await store.add('w', agent('a_own'))
    assert.equal(await store.find('v', 'a_own'), undefined)
    assert.deepEqual(await store.findMany('v', ['a_own']), [])
    assert.equal(await store.update('v', 'a_own', before => before), undefined)
    assert.equal(await store.remove('v', 'a_own', 2000), false)
    assert.equal((await store.list('v', '', firstPage)).total, 0)
    assert.ok(await store.find('w', 'a_own'))
  })

  test('applies all concurrent updates', async () => {
    await store.add('w', agent('a_both'))
    const add = (key: string) =>
      store.update('w', 'a_both', before => ({ ...before, config: { ...before.config, [key]: 1 } }))
    await Promise.all(['a', 'b', 'c', 'd'].map(add))
    assert.deepEqual((await store.find('w', 'a_both'))?.config, { a: 1, b: 1, c: 1, d: 1 })
  })

  test('finds only public agents of existing workspaces by id alone', async () => {
    const access = new AccessStore(opened.database)
    await access.addWorkspace({ id: 'p', name: 'p', createdAt: 1 })
    await store.add('p', agent('a_public', { access: 'public' }))
    await store.add('p', agent('a_private'))
    assert.equal((await store.findPublic('a_public'))?.workspaceId, 'p')
    assert.equal(await store.findPublic('a_private'), undefined)
    assert.equal(await store.findPublic('a_nobody'), undefined)
    await access.removeWorkspace('p', 2)
    assert.equal(await store.findPublic('a_public'), undefined)
  })

  test('lists the most recently updated first, filtered by keyword in name or id', async () => {
    await store.add('l', agent('a_1', { name: 'Tea 100%', updatedAt: 1 }))
    await store.add('l', agent('a_2', { name: 'Coffee', updatedAt: 3 }))
    await store.add('l', agent('a_3', { name: '茶', updatedAt: 2 }))
    const ids = async (keyword: string, page = firstPage) =>
      (await store.list('l', keyword, page)).items.map(({ id }) => id)
    assert.deepEqual(await ids(''), ['a_2', 'a_3', 'a_1'])
    assert.deepEqual(await ids('', { page: 2, pageSize: 2 }), ['a_1'])
    assert.deepEqual(await ids('tEA'), ['a_1'])
    assert.deepEqual(await ids('0%'), ['a_1'])
    assert.deepEqual(await ids('茶'), ['a_3'])
    await store.update('l', 'a_1', before => ({ ...before, name: 'Milk', updatedAt: 9 }))
    assert.deepEqual(await ids('tea'), [])
    assert.deepEqual(await ids(''), ['a_1', 'a_2', 'a_3'])
  })

  test('does not find a deleted agent', async () => {
    await store.add('w', agent('a_gone', { access: 'public' }))
    assert.equal(await store.remove('w', 'a_gone', 2000), true)
    assert.equal(await store.remove('w', 'a_gone', 2000), false)
    assert.equal(await store.find('w', 'a_gone'), undefined)
    assert.equal(await store.findPublic('a_gone'), undefined)
    assert.equal(await store.update('w', 'a_gone', before => before), undefined)
    assert.deepEqual((await store.list('w', 'a_gone', firstPage)).items, [])
  })
})
