import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestSetService } from '../../src/evaluation/test-set-service.ts'
import { TestSetStore } from '../../src/evaluation/test-set-store.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

test('concurrent changes of the name and the gate are both kept', async () => {
  const { database, cleanup } = await openTestDatabase()
  try {
    const sets = new TestSetService({
      store: new TestSetStore(database),
      clock: { now: () => 1 },
      findWorkflow: async () => ({ version: 1 }),
      findAgent: async () => undefined,
      changed: () => {},
    })
    const given = { name: 'Old', workflowId: 'wf', agentId: '', gate: 'off', by: 'Ada' } as const
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
