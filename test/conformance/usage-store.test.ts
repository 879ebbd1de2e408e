import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { RunPatch } from '../../src/workflow/run/store/run-records.ts'
import { type NewRun, type OpenedRunWorld, openRunWorld, patch, type RunWorld } from './run-world.ts'

const day = 86_400_000
const everyDay = { fromDay: 0, toDay: 1_000_000 }

describe('usage store', () => {
  let opened: OpenedRunWorld
  let world: RunWorld
  let count: number
  beforeEach(async () => {
    opened = await openRunWorld()
    world = opened.world
    count = 0
  })
  afterEach(() => opened.cleanup())

  async function end(
    status: RunPatch['status'],
    finishedAt: number,
    run: NewRun = {},
    { where = world, workspaceId = 'w' } = {},
  ): Promise<void> {
    const hold = await where.begin(`r${++count}`, run, workspaceId)
    await where.write(hold, { run: patch(status, { finishedAt }) })
  }

  const totals = (runs: number, failures = 0) => ({
    runs,
    failures,
    promptTokens: 10 * runs,
    completionTokens: 20 * runs,
    cost: 0.25 * runs,
    activeMilliseconds: 300 * runs,
  })

  test('counts a run once, on the day it ended', async () => {
    const hold = await world.begin('r')
    await world.write(hold, { steps: [] })
    await world.write(hold, { run: patch('waiting') })
    assert.deepEqual(await world.usage.days('w', everyDay), [])
    await world.runs.claimWaiting('w', 'r', { lease: 'l', until: 1, reply: '{}', chatId: '' })
    const again = { ...hold, lease: 'l' }
    await world.write(again, { run: patch('succeeded', { finishedAt: 3 * day - 1 }) })
    assert.equal(
      await world.runs.commit(again, { steps: [], effects: [], events: undefined, run: patch('failed') }),
      false,
    )
    assert.deepEqual(await world.usage.days('w', everyDay), [{ day: 2, ...totals(1) }])
  })

  test('sums the counts of several processes by day, within the range', async () => {
    const other = await opened.openAgain()
    for (const where of [world, other]) {
      await end('succeeded', day, {}, { where })
      await end('failed', day + 5, { agentId: 'a' }, { where })
      await end('stopped', 4 * day, {}, { where })
    }
    await end('succeeded', 9 * day, {}, { workspaceId: 'v' })
    assert.deepEqual(await world.usage.days('w', everyDay), [
      { day: 1, ...totals(4, 2) },
      { day: 4, ...totals(2) },
    ])
    assert.deepEqual(await world.usage.days('w', { fromDay: 4, toDay: 4 }), [{ day: 4, ...totals(2) }])
    assert.deepEqual(await world.usage.days('w', { fromDay: 2, toDay: 3 }), [])
    assert.deepEqual(await world.usage.days('v', everyDay), [{ day: 9, ...totals(1) }])
  })

  test('returns the days of one agent or one workflow', async () => {
    await end('succeeded', day, { agentId: 'a', workflowId: 'x' })
    await end('succeeded', day, { agentId: 'a', workflowId: 'y' })
    await end('failed', day, { agentId: 'b', workflowId: 'x' })
    const days = async (range: object) => (await world.usage.days('w', { ...everyDay, ...range }))[0]?.runs
    assert.equal(await days({ agentId: 'a' }), 2)
    assert.equal(await days({ workflowId: 'x' }), 2)
    assert.equal(await days({ agentId: 'a', workflowId: 'x' }), 1)
    assert.equal(await days({ agentId: 'b', workflowId: 'y' }), undefined)
  })

  test('returns usage by agent and workflow, the largest first', async () => {
    await end('succeeded', day, { agentId: 'small', workflowId: 'x' })
    for (const at of [day, 2 * day]) await end('failed', at, { agentId: 'large', workflowId: 'x' })
    await end('succeeded', day, { workflowId: '' })
    await end('succeeded', 8 * day, { agentId: 'later', workflowId: 'later' })
    const range = { fromDay: 1, toDay: 2 }
    assert.deepEqual(await world.usage.byAgent('w', range), [
      { agentId: 'large', ...totals(2, 2) },
      { agentId: '', ...totals(1) },
      { agentId: 'small', ...totals(1) },
    ])
    assert.deepEqual(await world.usage.byWorkflow('w', range), [
      { workflowId: 'x', ...totals(3, 2) },
      { workflowId: '', ...totals(1) },
    ])
    assert.deepEqual(await world.usage.byWorkflow('w', { ...range, agentId: 'small' }), [
      { workflowId: 'x', ...totals(1) },
    ])
    assert.deepEqual(await world.usage.byAgent('v', range), [])
  })

  test('sums any range of days, aligned to the rollups of 30 days or not', async () => {
    const days = [0, 29, 30, 31, 59, 60, 89, 90, 364, 365]
    for (const at of days)
      for (const agentId of ['a', 'b'])
        await end('succeeded', at * day, { agentId, workflowId: `${agentId}w` })
    const ends = [0, 1, 29, 30, 31, 59, 60, 61, 90, 119, 365, 366]
    for (const fromDay of ends)
      for (const toDay of ends.filter(last => last >= fromDay)) {
        const range = { fromDay, toDay }
        const ended = days.filter(at => at >= fromDay && at <= toDay).length
        const ofEach = ended === 0 ? [] : [totals(ended), totals(ended)]
        const name = JSON.stringify(range)
        const counts = (rows: { agentId?: string; workflowId?: string }[]) =>
          rows.map(({ agentId: _, workflowId: __, ...row }) => row)
        assert.deepEqual(counts(await world.usage.byAgent('w', range)), ofEach, name)
        assert.deepEqual(counts(await world.usage.byWorkflow('w', range)), ofEach, name)
        assert.equal((await world.usage.days('w', range)).length, ended, name)
      }
  })
})
