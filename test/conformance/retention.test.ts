import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { PublicationStore } from '../../src/workflow/publication-store.ts'
import { RunSweep } from '../../src/workflow/run/store/run-sweep.ts'
import { pinName, VersionSweep } from '../../src/workflow/version-sweep.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { batch, type OpenedRunWorld, openQuestion, openRunWorld, patch, type RunWorld } from './run-world.ts'

const endless = new AbortController().signal

describe('retention', () => {
  let opened: OpenedRunWorld
  let world: RunWorld
  let workflows: WorkflowStore
  beforeEach(async () => {
    opened = await openRunWorld()
    world = opened.world
    workflows = new WorkflowStore(world.database)
  })
  afterEach(() => opened.cleanup())

  describe('of versions', () => {
    const newest = limits.keptVersions + 30
    /** Version n is stored at the time n. */
    const saveVersions = async (workspaceId: string, id: string, count: number): Promise<void> => {
      for (let at = 1; at <= count; at++) {
        const graph = JSON.stringify({ nodes: [], edges: [], at })
        const save = { id, name: 'W', graph, nodeCount: 0, hasCredentials: false }
        await workflows.save(workspaceId, { ...save, expected: 'anything', at })
      }
    }
    const sweep = (before: number) => new VersionSweep(world.database).sweep(before, () => 1000, endless)
    const oldest = async (workspaceId: string, id: string): Promise<number[]> => {
      const { items } = await workflows.versions(workspaceId, id, { page: 2, pageSize: 100 })
      return items.map(({ version }) => version)
    }

    test('deletes old ones beyond the newest, each workflow on its own', async () => {
      await saveVersions('w', 'many', newest)
      await saveVersions('v', 'many', newest)
      await saveVersions('w', 'few', 5)
      await sweep(11)
      const recent = Array.from({ length: 20 }, (_, index) => 30 - index)
      assert.deepEqual(await oldest('w', 'many'), recent, 'younger ones stay')
      assert.deepEqual(await oldest('v', 'many'), recent)
      await sweep(1_000_000)
      assert.deepEqual(await oldest('w', 'many'), [], 'the newest stay, however old they are')
      assert.equal((await workflows.find('w', 'many'))?.version, newest)
      const few = await workflows.versions('w', 'few', { page: 1, pageSize: 100 })
      assert.equal(few.total, 5)
    })

    test('deletes them once when two replicas do so at the same time', async () => {
      await saveVersions('w', 'many', newest)
      const other = await opened.openAgain()
      const sweeps = [world, other].map(({ database }) =>
        new VersionSweep(database).sweep(1_000_000, () => 1000, endless),
      )
      await Promise.all(sweeps)
      assert.deepEqual(await oldest('w', 'many'), [])
    })

    test('keeps the versions that were published, named or restored, and the newest that can run', async () => {
      await saveVersions('w', 'many', newest)
      const publications = new PublicationStore(world.database)
      const key = { workspaceId: 'w', workflowId: 'many' }
      await publications.publish({ ...key, version: 4 }, 9)
      await publications.publish({ ...key, version: 6 }, 9)
      await publications.setNote({ ...key, version: 9 }, 'A name')
      const save = { id: 'many', graph: '{"restored":true}', nodeCount: 0, hasCredentials: false }
      await workflows.save('w', { ...save, restoredFrom: 2, expected: 'anything', at: newest + 1 })
      await saveVersions('w', 'broken', 5)
      for (let at = 6; at <= newest; at++)
        await workflows.save('w', {
          ...{ ...save, id: 'broken', graph: `{"at":${at}}`, isRunnable: false },
          ...{ expected: 'anything', at },
        })
      await sweep(1_000_000)
      assert.deepEqual(await oldest('w', 'many'), [9, 6, 4, 2])
      assert.deepEqual(await oldest('w', 'broken'), [5])
      assert.equal((await workflows.find('w', 'many'))?.publishedVersion, 6)
    })

    test('keeps the versions of stored runs, and graphs for runs that start right now', async () => {
      await saveVersions('w', 'many', newest)
      const hold = await world.begin('ended', { workflowId: 'many', version: 3 })
      await world.write(hold, { run: patch('succeeded', { finishedAt: 5 }) })
      await world.begin('running', { workflowId: 'many', version: 7 })
      await world.begin('elsewhere', { workflowId: 'many', version: 8 }, 'v')
      await sweep(1_000_000)
      assert.deepEqual(await oldest('w', 'many'), [7, 3])
      assert.ok(await workflows.kept('w', 'many', 8), 'a run that is being started finds its graph')
      await new VersionSweep(world.database).sweepKept(1_000_000)
      assert.equal(await workflows.kept('w', 'many', 8), undefined)
    })

    test('keeps graphs that a step of a run in progress uses, and no others', async () => {
      await saveVersions('w', 'many', newest)
      const running = await world.begin('running', { workflowId: 'other', version: 1 })
      const ended = await world.begin('ended', { workflowId: 'other', version: 1 })
      const uses = (version: number) => [{ path: 'a', name: pinName('many'), result: `${version}` }]
      await world.write(running, { effects: uses(4) })
      await world.write(ended, { effects: uses(5), run: patch('succeeded', { finishedAt: 5 }) })
      await sweep(1_000_000)
      await new VersionSweep(world.database).sweepKept(1_000_000)
      const kept = async (version: number) => (await workflows.kept('w', 'many', version)) !== undefined
      assert.deepEqual([await kept(3), await kept(4), await kept(5)], [false, true, false])
      await world.write(running, { run: patch('succeeded', { finishedAt: 5 }) })
      await new VersionSweep(world.database).sweepKept(1_000_000)
      assert.equal(await kept(4), false)
    })
  })

  test('of events deletes those of old runs, and keeps the runs', async () => {
    for (const [id, finishedAt] of [
      ['old', 100],
      ['young', 300],
    ] as const) {
      const hold = await world.begin(id)
      await world.write(hold, { events: batch(1, 2) })
      await world.write(hold, { events: batch(3, 3), run: patch('succeeded', { finishedAt }) })
    }
    await world.write(await world.begin('running'), { events: batch(1, 1) })
    const sweep = new RunSweep(world.database)
    const left = async () =>
      Promise.all(
        ['old', 'young', 'running'].map(async id => (await world.runs.events('w', id, 0, 10)).length),
      )
    await sweep.sweepEvents(100, endless)
    assert.deepEqual(await left(), [2, 2, 1])
    await sweep.sweepEvents(200, endless)
    assert.deepEqual(await left(), [0, 2, 1])
    await sweep.sweepEvents(301, endless)
    assert.deepEqual(await left(), [0, 0, 1])
    assert.equal((await world.runs.find('w', 'old'))?.status, 'succeeded')
  })

  test('of events keeps those of a waiting run, which continues from them', async () => {
    const hold = await world.begin('waiting')
    await world.write(hold, { events: batch(1, 2), run: patch('waiting', { waiting: openQuestion }) })
    await new RunSweep(world.database).sweepEvents(Number.MAX_SAFE_INTEGER, endless)
    assert.equal((await world.runs.events('w', 'waiting', 0, 10)).length, 1)
  })
})
