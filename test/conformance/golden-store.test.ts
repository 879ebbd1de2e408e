import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import { GoldenStore } from '../../src/knowledge/golden/golden-store.ts'
import type { GoldenQuestion } from '../../src/knowledge/golden/golden-tables.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld, otherChunking } from './knowledge-world.ts'

describe('golden store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  let store: GoldenStore
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    store = new GoldenStore(world.database)
    await world.makeBase('w', 'k')
    await world.addIngested('w', 'k', 'f1', ['one'])
  })
  afterEach(() => opened.cleanup())

  const questionOf = (id: string, question = `Question ${id}`): GoldenQuestion => ({
    ...{ id, knowledgeId: 'k', question, fileIds: ['f1'], expectedText: '', createdAt: 5 },
  })
  const add = async (...questions: GoldenQuestion[]) => {
    const added = await store.addQuestions('w', 'k', questions, 3)
    return added === 'too_many' ? added : added.map(({ id }) => id)
  }
  const score = { topK: 5, total: 1, hits: 0, lost: 1, mrr: 0, results: [], finishedAt: 9 }
  const openRuns = async () => (await world.bases.record('w', await world.base('w', 'k'))).check

  test('adds each question once, and none beyond the limit', async () => {
    assert.deepEqual(await add(questionOf('a'), questionOf('b')), ['a', 'b'])
    assert.deepEqual(await add(questionOf('c', 'Question a')), [])
    assert.equal(await add(questionOf('d'), questionOf('e')), 'too_many')
    const both = await Promise.all([add(questionOf('f')), add(questionOf('g'))])
    assert.deepEqual(both.filter(each => each === 'too_many').length, 1)
    assert.equal(await store.countQuestions('w', 'k'), 3)
    assert.equal(await store.findQuestion('other', 'k', 'a'), undefined)
    assert.equal(await store.findQuestion('w', 'other', 'a'), undefined)
  })

  test('lists the questions as they were added, also within a millisecond', async () => {
    await add(questionOf('z'), questionOf('y'))
    await add(questionOf('x'))
    const { items } = await store.listQuestions('w', 'k', { page: 1, pageSize: 100 })
    assert.deepEqual(
      items.map(({ id }) => id),
      ['z', 'y', 'x'],
    )
  })

  test('holds the swap until the run passed; one process claims it, and a late one changes nothing', async () => {
    await add(questionOf('a'))
    await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 10 })
    await world.ingestNext(['one'])
    assert.deepEqual(
      await Promise.all([world.bases.swapCompleted(20), world.bases.swapCompleted(20)]),
      [0, 0],
    )
    const due = await store.rows.due(20)
    assert.equal(due.length, 1, 'one run, however often it is queued')
    const claims = await Promise.all(['l1', 'l2'].map(lease => store.rows.claim(due[0]!, lease, 100)))
    assert.equal(claims.filter(Boolean).length, 1)
    const lease = claims[0] ? 'l1' : 'l2'
    const held = { workspaceId: 'w', id: due[0]!.id, lease }
    assert.equal((await openRuns())?.status, 'running')
    // The holder crashes, and another process goes on.
    const again = (await store.rows.due(101))[0]!
    assert.ok(await store.rows.claim(again, 'l3', 200))
    assert.equal(await store.finish(held, { ...score, status: 'passed' }), false)
    assert.equal(await store.renew(held, 300, { done: 1, total: 1 }), false)
    assert.ok(await store.finish({ ...held, lease: 'l3' }, { ...score, status: 'lost' }))
    assert.equal(await world.bases.swapCompleted(30), 0)
    assert.equal((await world.base('w', 'k')).generation.id, 'k-g1')
    assert.ok(await store.decide('w', held.id, 'accepted', 31))
    assert.equal(await store.decide('w', held.id, 'discarded', 32), false)
    assert.equal(await world.bases.swapCompleted(33), 1)
    assert.equal((await world.base('w', 'k')).generation.id, 'g2')
    assert.equal(await openRuns(), undefined)
  })

  test('a deleted workspace has no run that is due', async () => {
    await add(questionOf('a'))
    await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 10 })
    await world.ingestNext(['one'])
    await world.bases.swapCompleted(20)
    assert.equal((await store.rows.due(20)).length, 1)
    await new AccessStore(world.database).removeWorkspace('w', 30)
    assert.deepEqual(await store.rows.due(1000), [])
  })

  test('drops the run with its generation, and everything with the base', async () => {
    await add(questionOf('a'))
    await world.update('w', 'k', { chunking: otherChunking }, { nextGenerationId: 'g2', now: 10 })
    await world.ingestNext(['one'])
    await world.bases.swapCompleted(20)
    const { chunking } = (await world.base('w', 'k')).generation
    await world.update('w', 'k', { chunking }, { nextGenerationId: 'g3', now: 30 })
    assert.deepEqual(await store.rows.due(1000), [])
    assert.equal(await openRuns(), undefined)
    await world.bases.remove('w', 'k', 40)
    await world.sweepAll()
    assert.equal(await store.countQuestions('w', 'k'), 0)
    assert.equal((await store.listRuns('w', 'k', { page: 1, pageSize: 10 })).total, 0)
  })
})
