import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestSetService } from '../../src/evaluation/test-set-service.ts'
import { TestSetStore } from '../../src/evaluation/test-set-store.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

const given = { name: 'Old', workflowId: 'wf', agentId: '', gate: 'off', by: 'Ada' } as const

const openSets = async () => {
  const { database, cleanup } = await openTestDatabase()
  const sets = new TestSetService({
    store: new TestSetStore(database),
    clock: { now: () => 1 },
    findWorkflow: async () => ({ version: 1 }),
    findAgent: async () => undefined,
    changed: () => {},
  })
  return { sets, cleanup }
}

test('concurrent changes of the name and the gate are both kept', async () => {
  const { sets, cleanup } = await openSets()
  try {
    const { id } = await sets.create('w', given)
    await Promise.all([
      sets.update('w', id, { name: 'New', by: 'Ada' }),
      sets.update('w', id, { gate: 'warn', by: 'Ben' }),
    ])
    const { name, gate } = await sets.get('w', id)
    assert.deepEqual([name, gate], ['New', 'warn'])
  } finally {
    await cleanup()
  }
})

test('cases are listed as they were added, also within a millisecond', async () => {
  const { sets, cleanup } = await openSets()
  try {
    const { id } = await sets.create('w', given)
    const csv = (...questions: string[]) =>
      ({ format: 'csv', content: ['question', ...questions].join('\n') }) as const
    await sets.importCases('w', id, csv('a', 'b', 'c'))
    await sets.importCases('w', id, csv('d', 'e'))
    await sets.saveCase('w', id, { name: 'f', inputs: {}, checks: [] })
    const { items } = await sets.cases('w', id, { page: 1, pageSize: 100 })
    assert.equal(items.map(({ name }) => name).join(''), 'abcdef')
  } finally {
    await cleanup()
  }
})
