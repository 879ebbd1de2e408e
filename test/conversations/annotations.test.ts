import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Agent } from '../../src/agents/agent.ts'
import { AnnotationStore } from '../../src/conversations/annotation-store.ts'
import { Annotations } from '../../src/conversations/annotations.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

const openAnnotations = async (terms: (text: string) => string[] = () => []) => {
  const { database, cleanup } = await openTestDatabase()
  const store = new AnnotationStore(database)
  const parts = { store, clock: { now: () => 1 }, hasAgent: async () => true, terms }
  return { store, annotations: new Annotations(parts), cleanup }
}

test('concurrent changes of the question and the answer are both kept', async () => {
  const { store, annotations, cleanup } = await openAnnotations()
  try {
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

test('annotations are listed newest first, also within a millisecond', async () => {
  const { store, annotations, cleanup } = await openAnnotations()
  try {
    for (const question of ['a', 'b', 'c', 'd', 'e', 'f'])
      await annotations.create('w', 'agent_a', { question, answer: 'x' }, 'Ada')
    const { items } = await store.list('w', 'agent_a', '', { page: 1, pageSize: 100 })
    assert.equal(items.map(({ question }) => question).join(''), 'fedcba')
  } finally {
    await cleanup()
  }
})

test('other work runs while a message is compared with many questions', async () => {
  const questions = 40
  let compared = 0
  const terms = (text: string): string[] => {
    compared++
    for (const start = performance.now(); performance.now() < start + 1; );
    return text.split(' ')
  }
  const { annotations, cleanup } = await openAnnotations(terms)
  try {
    for (let at = 0; at < questions; at++)
      await annotations.create('w', 'agent_a', { question: `how many apples ${at}`, answer: 'A' }, 'Ada')
    const agent = { id: 'agent_a', config: { annotation_threshold: 0.8 } } as Agent
    const seen = new Set<number>()
    const timer = setInterval(() => seen.add(compared), 0)
    const found = await annotations.match('w', agent, 'so how many apples 7')
    clearInterval(timer)
    assert.equal(found?.question, 'how many apples 7')
    assert.equal(compared, questions + 1)
    assert.ok([...seen].some(count => count > 0 && count < questions))
  } finally {
    await cleanup()
  }
})
