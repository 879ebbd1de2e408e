import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnnotationStore } from '../../src/conversations/annotation-store.ts'
import { Annotations } from '../../src/conversations/annotations.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

test('concurrent changes of the question and the answer are both kept', async () => {
  const { database, cleanup } = await openTestDatabase()
  try {
    const store = new AnnotationStore(database)
    const parts = { store, clock: { now: () => 1 }, hasAgent: async () => true, terms: () => [] }
    const annotations = new Annotations(parts)
    const { id } = await annotations.create('w', 'agent_a', { question: 'Old?', answer: 'Old.' }, 'Ada')
    await Promise.all([
      annotations.update('w', id, { question: 'New?' }, 'Ada'),
      annotations.update('w', id, { answer: 'New.' }, 'Ben'),
    ])
    const found = await store.find('w', id)
    assert.deepEqual([found?.question, found?.answer], ['New?', 'New.'])
    assert.equal((await annotations.create('w', 'agent_a', { question: 'new', answer: 'x' }, 'Ada')).id, id)
  } finally {
    await cleanup()
  }
})
