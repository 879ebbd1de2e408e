import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { RunStatus } from '../../src/workflow/run/store/run-records.ts'
import {
  batch,
  entry,
  type OpenedRunWorld,
  openQuestion,
  openRunWorld,
  patch,
  type RunWorld,
  step,
} from './run-world.ts'

describe('run queue', () => {
  let opened: OpenedRunWorld
  let world: RunWorld
  beforeEach(async () => {
    opened = await openRunWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  describe('claiming a run', () => {
    test('takes the run that has been due the longest, queued or expired, and none early', async () => {
      await world.begin('left late', { leaseUntil: 2300 })
      await world.begin('left early', { leaseUntil: 2100 })
      await world.begin('held', { leaseUntil: 9000 })
      await world.runs.release(await world.begin('queued'), 2200)
      for (const status of ['waiting', 'succeeded', 'failed', 'stopped'] as const)
        await world.beginAndBe(status, status)
      assert.equal(await world.runs.nextDue(), 2100)
      assert.equal(await world.claim({ lease: 'l', now: 2099, until: 5000 }), undefined)
      const taken: unknown[] = []
      for (let turn = 0; turn < 4; turn++) {
        const claimed = await world.claim({ lease: `l${turn}`, now: 2300, until: 5000 })
        taken.push(claimed && [claimed.id, claimed.status, claimed.claims])
      }
      assert.deepEqual(taken, [
        ['left early', 'running', 2],
        ['queued', 'running', 2],
        ['left late', 'running', 2],
        undefined,
      ])
      assert.equal(await world.runs.nextDue(), 5000)
    })

    test('returns the stored run and clears nothing', async () => {
      const hold = await world.begin('r', { graph: '{}', chatId: 'chat' })
      const run = patch('waiting', { waiting: openQuestion })
      await world.write(hold, { steps: [step('a')], events: batch(1, 2), run })
      await world.runs.claimWaiting('w', 'r', { lease: 'l', until: 2000, reply: '{}', chatId: '' })
      const before = await world.runs.find('w', 'r')
      const claimed = await world.claim({ lease: 'mine', now: 2000, until: 3000 })
      assert.deepEqual(claimed, { ...before, claims: 2, stopRequested: false })
      assert.deepEqual(await world.runs.find('w', 'r'), { ...before, claims: 2 })
      assert.deepEqual(await world.rowsOf('r'), [1, 1, 0, 1])
    })

    test('never returns the same run to concurrent claims, and reaches all runs', async () => {
      for (let index = 0; index < 40; index++) await world.begin(`r${index}`)
      const other = await opened.openAgain()
      const taken: string[] = []
      const work = async (where: RunWorld, name: string): Promise<void> => {
        for (let turn = 0; ; turn++) {
          const claimed = await where.claim({ lease: `${name} ${turn}`, now: 2000, until: 9000 })
          // Another worker may briefly lock the only remaining row; a due run stays due.
          if (!claimed && (await where.runs.nextDue())! >= 9000) return
          if (claimed) taken.push(claimed.id)
        }
      }
      await Promise.all([work(world, 'a'), work(other, 'b'), work(world, 'c'), work(other, 'd')])
      assert.equal(taken.length, 40)
      assert.equal(new Set(taken).size, 40)
    })
  })

  const answer = { lease: 'l', until: 5000, reply: '{"text":"yes"}', chatId: 'next turn' }

  describe('resuming a waiting run', () => {
    test('is exclusive, keeps its state and does not count as a claim', async () => {
      await world.beginAndBe('waiting', 'r')
      const before = (await world.runs.find('w', 'r'))!
      assert.deepEqual(before.waiting, openQuestion)
      const other = await opened.openAgain()
      const taken = await Promise.all(
        [world, other, world].map((where, index) =>
          where.runs.claimWaiting('w', 'r', { ...answer, lease: `l${index}` }),
        ),
      )
      const won = taken.filter(run => run !== undefined)
      assert.deepEqual(won, [{ ...before, status: 'running', reply: answer.reply, chatId: 'next turn' }])
      const lease = `l${taken.indexOf(won[0])}`
      assert.deepEqual(await world.runs.leases.all(), [lease])
      assert.equal(await world.runs.nextDue(), 5000)
      await world.write({ workspaceId: 'w', runId: 'r', lease }, { run: patch('succeeded') })
    })

    test('leaves it claimable with its question when the worker crashes', async () => {
      await world.beginAndBe('waiting', 'r')
      await world.runs.claimWaiting('w', 'r', answer)
      const claimed = await world.claim({ lease: 'l', now: 5000, until: 6000 })
      assert.deepEqual([claimed?.waiting, claimed?.claims], [openQuestion, 2])
      assert.deepEqual([claimed?.reply, claimed?.chatId], [answer.reply, 'next turn'])
    })

    test('drops the reply when the run asks again, and keeps its turn if the reply is not a turn', async () => {
      const hold = await world.beginAndBe('waiting', 'r', { chatId: 'first turn' })
      assert.ok(await world.runs.claimWaiting('w', 'r', { ...answer, chatId: '' }))
      await world.write({ ...hold, lease: 'l' }, { run: patch('waiting') })
      const run = await world.runs.find('w', 'r')
      assert.deepEqual([run?.reply, run?.chatId], [undefined, 'first turn'])
    })

    test('is rejected for runs with any other status', async () => {
      for (const status of ['queued', 'running', 'succeeded', 'failed', 'stopped'] as const) {
        await world.beginAndBe(status, status)
        assert.equal(await world.runs.claimWaiting('w', status, answer), undefined, status)
        assert.equal((await world.runs.find('w', status))?.status, status)
      }
      await world.beginAndBe('waiting', 'r')
      assert.equal(await world.runs.claimWaiting('v', 'r', answer), undefined)
    })
  })

  test('renews the leases that are held, and reads which runs are to stop', async () => {
    const kept = await world.begin('kept')
    const stopped = await world.begin('stopped')
    const ended = await world.beginAndBe('succeeded', 'ended')
    await world.begin('not mine', { leaseUntil: 1900 })
    const many = []
    for (let index = 0; index < 150; index++) many.push(await world.begin(`many ${index}`))
    await world.runs.requestStop('w', 'stopped', 1500)
    const renewed = await world.runs.leases.renew([...many, kept, stopped, ended], 7000)
    assert.equal(renewed.size, 152)
    assert.equal(renewed.get(kept.lease)?.stopRequested, false)
    assert.equal(renewed.get(stopped.lease)?.stopRequested, true)
    assert.ok(!renewed.has(ended.lease))
    const others = [
      { ...kept, runId: 'unknown' },
      { ...kept, workspaceId: 'v' },
      { ...kept, runId: 'not mine' },
    ]
    assert.equal((await world.runs.leases.renew(others, 7000)).size, 0)
    assert.equal(await world.runs.nextDue(), 1900, 'a lease of another holder is not extended')
    assert.equal((await world.claim({ lease: 'l', now: 6999, until: 9000 }))?.id, 'not mine')
    assert.equal(await world.claim({ lease: 'l', now: 6999, until: 9000 }), undefined)
    assert.equal((await world.runs.leases.renew([], 7000)).size, 0)
  })

  test('queues a released run immediately, and only its lease holder can release it', async () => {
    const hold = await world.begin('r')
    await world.runs.release({ ...hold, lease: 'other' }, 1500)
    assert.equal((await world.runs.find('w', 'r'))?.status, 'running')
    await world.runs.release(hold, 1500)
    assert.equal((await world.runs.find('w', 'r'))?.status, 'queued')
    assert.equal(await world.runs.nextDue(), 1500)
    assert.deepEqual(await world.runs.leases.all(), [])
    assert.equal(await world.runs.commit(hold, entry()), false)
    assert.equal((await world.claim({ lease: 'l', now: 1500, until: 3000 }))?.id, 'r')
  })

  describe('requesting a stop', () => {
    test('returns the status of the run', async () => {
      const expected: Record<RunStatus, RunStatus> = {
        queued: 'stopped',
        running: 'running',
        waiting: 'stopped',
        succeeded: 'succeeded',
        failed: 'failed',
        stopped: 'stopped',
      }
      for (const [before, after] of Object.entries(expected) as [RunStatus, RunStatus][]) {
        await world.beginAndBe(before, before)
        assert.equal(await world.runs.requestStop('v', before, 1600), undefined, 'in another workspace')
        assert.equal(await world.runs.requestStop('w', before, 1600), after, before)
        assert.equal((await world.runs.find('w', before))?.status, after)
      }
      assert.equal(await world.runs.requestStop('w', 'unknown', 1600), undefined)
    })

    test('stops a run without a lease holder immediately, and only once', async () => {
      for (const status of ['queued', 'waiting'] as const) {
        const hold = await world.beginAndBe(status, status, { agentId: status })
        await world.runs.requestStop('w', status, 1600)
        await world.runs.requestStop('w', status, 1700)
        const run = await world.runs.find('w', status)
        assert.deepEqual([run?.finishedAt, run?.sequence], [1600, 3])
        assert.deepEqual(
          (await world.runs.steps('w', status)).map(one => [one.path, one.status]),
          [
            ['a', 'succeeded'],
            ['b', status === 'waiting' ? 'stopped' : 'succeeded'],
          ],
        )
        assert.equal(await world.runs.claimWaiting('w', status, answer), undefined)
        assert.equal(await world.runs.commit(hold, entry()), false)
        const [day] = await world.usage.days('w', { fromDay: 0, toDay: 0, agentId: status })
        assert.deepEqual([day?.runs, day?.failures], [1, 0])
      }
      assert.equal(await world.runs.nextDue(), undefined)
      assert.equal(await world.claim({ lease: 'l', now: 9000, until: 9999 }), undefined)
    })

    test('does not affect the lease of the holder, and reaches the next one', async () => {
      const hold = await world.beginAndBe('running', 'r')
      await world.runs.requestStop('w', 'r', 1600)
      await world.write(hold, { steps: [step('c')] })
      assert.ok(await world.claim({ lease: 'next', now: 2000, until: 3000 }))
      const next = { ...hold, lease: 'next' }
      assert.equal((await world.runs.leases.renew([next], 4000)).get('next')?.stopRequested, true)
      await world.write(next, { run: patch('stopped') })
    })
  })

  test('expires the leases of dead processes only', async () => {
    const gone = await world.begin('gone')
    const kept = await world.begin('kept')
    await world.beginAndBe('succeeded', 'ended')
    assert.deepEqual((await world.runs.leases.all()).sort(), [gone.lease, kept.lease].sort())
    const many = Array.from({ length: 250 }, (_, index) => `unknown ${index}`)
    await world.runs.leases.expire([...many, gone.lease, 'lease of ended'], 1500)
    await world.runs.leases.expire([], 1500)
    assert.equal((await world.claim({ lease: 'l', now: 1500, until: 3000 }))?.id, 'gone')
    assert.equal(await world.claim({ lease: 'l', now: 1500, until: 3000 }), undefined)
    assert.equal(await world.runs.commit(gone, entry()), false)
    assert.equal(await world.runs.commit(kept, entry()), true)
  })
})
