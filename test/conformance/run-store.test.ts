import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import type { RunFilter } from '../../src/workflow/run/store/run-records.ts'
import {
  batch,
  entry,
  newRun,
  type OpenedRunWorld,
  openRunWorld,
  patch,
  type RunWorld,
  step,
} from './run-world.ts'

describe('run store', () => {
  let opened: OpenedRunWorld
  let world: RunWorld
  beforeEach(async () => {
    opened = await openRunWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  const strange = `“大” \u2028 🌳\n\t'"\\ %_ ? $1`

  describe('creating a run', () => {
    test('stores it as running with all its values', async () => {
      const run = newRun('r', {
        trigger: 'chat',
        agentId: 'a',
        conversationId: 'c',
        userId: strange,
        chatId: 'chat',
        graph: JSON.stringify({ text: strange }),
        inputs: JSON.stringify({ query: strange }),
      })
      await world.runs.create('w', run, { lease: 'l', until: 2000 })
      assert.deepEqual(await world.runs.find('w', 'r'), run)
      assert.deepEqual(await world.runs.steps('w', 'r'), [])
      assert.deepEqual(await world.runs.effects('w', 'r'), [])
      assert.deepEqual(await world.runs.events('w', 'r', 0, 10), [])
    })

    test('does not make it visible under another id or in another workspace', async () => {
      await world.begin('r')
      assert.equal(await world.runs.find('w', 'other'), undefined)
      assert.equal(await world.runs.find('v', 'r'), undefined)
    })

    test('rejects a duplicate id and keeps the first run', async () => {
      const lease = { lease: 'l', until: 2000 }
      const stored = await Promise.all(
        ['1', '2', '3'].map(inputs => world.runs.create('w', newRun('r', { inputs }), lease)),
      )
      assert.deepEqual(stored.toSorted(), [false, false, true])
      assert.equal((await world.runs.find('w', 'r'))?.inputs, String(stored.indexOf(true) + 1))
    })
  })

  describe('listing runs', () => {
    const idsOf = async (filter: RunFilter, page = 1, pageSize = 10, workspaceId = 'w') => {
      const { total, items } = await world.runs.list(workspaceId, filter, { page, pageSize })
      return [total, ...items.map(({ id }) => id)]
    }

    test('returns the newest first, page by page', async () => {
      for (const [index, id] of ['r1', 'r2', 'r3', 'r4', 'r5'].entries())
        await world.begin(id, { createdAt: 1000 + index })
      await world.begin('same time', { createdAt: 1004 })
      assert.deepEqual(await idsOf({}, 1, 4), [6, 'r5', 'same time', 'r4', 'r3'])
      assert.deepEqual(await idsOf({}, 2, 4), [6, 'r2', 'r1'])
      assert.deepEqual(await idsOf({}, 3, 4), [6])
    })

    test('applies one or several filters', async () => {
      await world.begin('plain', { workflowId: 'other', createdAt: 1 })
      await world.begin('agent 1', { agentId: 'a', conversationId: 'c1', createdAt: 2 })
      await world.begin('agent 2', { agentId: 'a', conversationId: 'c2', createdAt: 3 })
      await world.beginAndBe('failed', 'failed', { agentId: 'b', createdAt: 4 })
      assert.deepEqual(await idsOf({ workflowId: 'wf' }), [3, 'failed', 'agent 2', 'agent 1'])
      assert.deepEqual(await idsOf({ agentId: 'a' }), [2, 'agent 2', 'agent 1'])
      assert.deepEqual(await idsOf({ conversationId: 'c1' }), [1, 'agent 1'])
      assert.deepEqual(await idsOf({ status: 'failed' }), [1, 'failed'])
      assert.deepEqual(await idsOf({ workflowId: 'wf', status: 'running' }), [2, 'agent 2', 'agent 1'])
      assert.deepEqual(await idsOf({ agentId: 'a', conversationId: 'c2', status: 'failed' }), [0])
      assert.deepEqual(await idsOf({}, 1, 10, 'v'), [0])
    })

    test('returns the same values as the record', async () => {
      await world.beginAndBe('failed', 'r')
      const record = (await world.runs.find('w', 'r'))!
      const { graph: _, inputs: __, outputs: ___, waiting: ____, reply: _____, ...summary } = record
      assert.deepEqual([summary.sequence, summary.claims], [3, 1])
      assert.deepEqual((await world.runs.list('w', {}, { page: 1, pageSize: 1 })).items, [summary])
    })

    test('shows how a long answer begins, without reading it', async () => {
      const answer = `${strange} begins${'大'.repeat(20_000)}`
      const hold = await world.begin('long')
      await world.write(hold, { run: patch('succeeded', { answer }) })
      assert.equal((await world.runs.find('w', 'long'))?.answer, answer)
      // A list that read the answer would show this one.
      await world.database.transaction(transaction =>
        transaction.run('UPDATE runs SET answer = ?', 'x'.repeat(20_000)),
      )
      const { items } = await world.runs.list('w', {}, { page: 1, pageSize: 1 })
      assert.equal(items[0]?.answer, answer.slice(0, 1000))
    })
  })

  describe('committing', () => {
    test('stores everything atomically', async () => {
      const hold = await world.begin('r')
      const steps = [
        step('a'),
        step('b', { status: 'failed', error: { reason: 'timed_out', message: strange } }),
      ]
      const effects = [{ path: 'a', name: 'mail', result: JSON.stringify(strange) }]
      const run = patch('succeeded', { answer: strange, outputs: '{"text":1}' })
      assert.ok(await world.runs.commit(hold, { steps, effects, events: batch(1, 4), run }))
      assert.deepEqual(await world.runs.steps('w', 'r'), steps)
      assert.deepEqual(await world.runs.effects('w', 'r'), effects)
      assert.deepEqual(await world.runs.events('w', 'r', 0, 9), [batch(1, 4)])
      const {
        status,
        answer,
        outputs,
        promptTokens,
        completionTokens,
        cost,
        stepCount,
        activeMilliseconds,
        ...rest
      } = (await world.runs.find('w', 'r'))!
      assert.deepEqual(
        { status, answer, outputs, promptTokens, completionTokens, cost, stepCount, activeMilliseconds },
        {
          status: 'succeeded',
          answer: strange,
          outputs: '{"text":1}',
          promptTokens: 10,
          completionTokens: 20,
          cost: 0.25,
          stepCount: 2,
          activeMilliseconds: 300,
        },
      )
      assert.deepEqual(
        [rest.sequence, rest.finishedAt, rest.error, rest.waiting],
        [4, 1500, undefined, undefined],
      )
    })

    test('only checks the lease when there is no content', async () => {
      const hold = await world.begin('r')
      const before = await world.runs.find('w', 'r')
      assert.equal(await world.runs.commit(hold, entry()), true)
      assert.equal(await world.runs.commit({ ...hold, lease: 'other' }, entry()), false)
      assert.deepEqual(await world.runs.find('w', 'r'), before)
    })

    test('writes nothing after the lease is lost', async () => {
      const hold = await world.begin('r')
      await world.write(hold, { steps: [step('a', { status: 'running' })], events: batch(1, 1) })
      assert.ok(await world.claim({ lease: 'theirs', now: 2000, until: 3000 }))
      const all = {
        steps: [step('a'), step('b')],
        effects: [{ path: 'a', name: 'x', result: '1' }],
        events: batch(2, 3),
        run: patch('succeeded'),
      }
      assert.equal(await world.runs.commit(hold, all), false)
      assert.deepEqual(await world.rowsOf('r'), [1, 1, 0, 1])
      assert.equal((await world.runs.steps('w', 'r'))[0]?.status, 'running')
      const run = await world.runs.find('w', 'r')
      assert.deepEqual([run?.status, run?.sequence, run?.answer], ['running', 1, ''])
      assert.deepEqual(await world.usage.days('w', { fromDay: 0, toDay: 9 }), [])
      assert.ok(await world.runs.commit({ ...hold, lease: 'theirs' }, all))
    })

    test('writes nothing if it fails midway', async () => {
      const hold = await world.begin('r')
      await world.write(hold, { events: batch(1, 2) })
      const again = {
        steps: [step('a')],
        effects: [{ path: 'a', name: 'x', result: '1' }],
        // The column cannot be empty.
        events: { ...batch(3, 3), lines: null as never },
      }
      await assert.rejects(world.runs.commit(hold, entry({ ...again, run: patch('failed') })))
      assert.deepEqual(await world.rowsOf('r'), [1, 0, 0, 1])
      assert.equal((await world.runs.find('w', 'r'))?.status, 'running')
      assert.deepEqual(await world.usage.days('w', { fromDay: 0, toDay: 9 }), [])
    })

    test('releases the lease when the run ends', async () => {
      for (const status of ['waiting', 'succeeded', 'failed', 'stopped'] as const) {
        const hold = await world.beginAndBe(status, status)
        assert.equal(await world.runs.commit(hold, entry()), false, status)
      }
      const hold = await world.beginAndBe('running', 'running')
      assert.equal(await world.runs.commit(hold, entry()), true)
      assert.equal(await world.runs.nextDue(), 2000)
      assert.deepEqual(await world.runs.leases.all(), [hold.lease])
    })

    test('accepts fractional milliseconds and the null character', async () => {
      const hold = await world.begin('r')
      await world.write(hold, { run: patch('failed', { activeMilliseconds: 12.6, answer: 'a\0b' }) })
      const run = await world.runs.find('w', 'r')
      assert.deepEqual([run?.activeMilliseconds, run?.answer], [13, 'a\ufffdb'])
    })
  })

  describe('steps', () => {
    test('change from running to finished and keep their order', async () => {
      const hold = await world.begin('r')
      const running = { status: 'running', outputs: undefined, finishedAt: undefined } as const
      await world.write(hold, { steps: [step('z', running), step('b', running)] })
      await world.write(hold, { steps: [step('a', running)] })
      const done = step('b', { state: '{"case":"x"}', attempts: 2, starts: 1 })
      await world.write(hold, { steps: [done, step('earlier', { startedAt: 1099 })] })
      assert.deepEqual(await world.runs.steps('w', 'r'), [
        step('earlier', { startedAt: 1099 }),
        step('z', running),
        done,
        step('a', running),
      ])
    })

    test('may occur twice in one commit, and the last record wins', async () => {
      const hold = await world.begin('r')
      await world.write(hold, { steps: [step('a', { status: 'running' }), step('a')] })
      assert.deepEqual(await world.runs.steps('w', 'r'), [step('a')])
    })

    test('are stored 500 in one commit or in many', async () => {
      const hold = await world.begin('r')
      const steps = Array.from({ length: 500 }, (_, index) => step(`${500 - index}`))
      await world.write(hold, { steps })
      assert.deepEqual(await world.runs.steps('w', 'r'), steps)
      const other = await world.begin('other')
      // In groups: more writes of one run at a time would wait for a connection longer than the pool allows.
      for (let start = 0; start < steps.length; start += 50)
        await Promise.all(steps.slice(start, start + 50).map(one => world.write(other, { steps: [one] })))
      assert.deepEqual(
        (await world.runs.steps('w', 'other')).map(({ path }) => path).sort(),
        steps.map(({ path }) => path).sort(),
      )
    })

    test('are distinguished by any path, however long or unusual', async () => {
      const hold = await world.begin('r')
      const long = '长'.repeat(5000)
      const paths = [`${long}1`, `${long}2`, 'a\0b', 'a\ufffdb', '\ud83c', '', 'a/1/b', strange]
      const steps = paths.map(path => step(path, { title: 'T' }))
      await world.write(hold, { steps })
      await world.write(hold, { steps })
      assert.deepEqual(await world.runs.steps('w', 'r'), steps)
    })

    test('store long texts unchanged', async () => {
      const hold = await world.begin('r')
      const text = JSON.stringify(strange.repeat(100_000))
      const long = step('a', { inputs: text, outputs: text, state: text })
      await world.write(hold, { steps: [long], events: { first: 1, last: 1, lines: text } })
      assert.deepEqual(await world.runs.steps('w', 'r'), [long])
      assert.equal((await world.runs.events('w', 'r', 0, 1))[0]?.lines, text)
    })
  })

  test('keeps the first result of an effect', async () => {
    const hold = await world.begin('r')
    const first = { path: 'a', name: 'mail', result: '1' }
    await world.write(hold, { effects: [first, { ...first, result: '2' }] })
    await world.write(hold, {
      effects: [
        { ...first, result: '3' },
        { ...first, name: 'other' },
      ],
    })
    await world.write(hold, {
      effects: [
        { ...first, path: 'a,mail', name: '' },
        { ...first, path: 'b' },
      ],
    })
    const effects = await world.runs.effects('w', 'r')
    assert.deepEqual(effects.map(({ path, name, result }) => `${path} ${name} ${result}`).sort(), [
      'a mail 1',
      'a other 1',
      'a,mail  1',
      'b mail 1',
    ])
  })

  test('reads events after a number across batches, in order, up to a limit', async () => {
    const hold = await world.begin('r')
    const batches = [batch(1, 3), batch(4, 4), batch(5, 12), batch(13, 13)]
    for (const events of batches) await world.write(hold, { events })
    const after = (number: number, limit = 10) => world.runs.events('w', 'r', number, limit)
    assert.deepEqual(await after(0), batches)
    assert.deepEqual(await after(0, 2), batches.slice(0, 2))
    assert.deepEqual(await after(2), batches, 'the batch with the third event is returned whole')
    assert.deepEqual(await after(3), batches.slice(1))
    assert.deepEqual(await after(5), batches.slice(2))
    assert.deepEqual(await after(13), [])
    assert.equal((await world.runs.find('w', 'r'))?.sequence, 13)
  })

  describe('sweeping runs', () => {
    test('deletes all rows of a run and no others', async () => {
      for (const status of ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'] as const)
        await world.beginAndBe(status, status)
      const later = await world.begin('later', { leaseUntil: 3000 })
      await world.write(later, { run: patch('succeeded', { finishedAt: 1501 }), steps: [step('a')] })
      await world.beginAndBe('succeeded', 'succeeded 2', {}, 'v')
      const usage = await world.usage.days('w', { fromDay: 0, toDay: 9 })
      assert.equal(await world.sweep.sweepRuns(1500, 100), 0)
      assert.equal(await world.sweep.sweepRuns(1501, 100), 4)
      for (const id of ['succeeded', 'failed', 'stopped'])
        assert.deepEqual(await world.rowsOf(id), [0, 0, 0, 0], id)
      assert.deepEqual(await world.rowsOf('succeeded 2', 'v'), [0, 0, 0, 0])
      for (const id of ['queued', 'running', 'waiting'])
        assert.deepEqual(await world.rowsOf(id), [1, 2, 1, 1], id)
      assert.deepEqual(await world.rowsOf('later'), [1, 1, 0, 0])
      assert.deepEqual(await world.usage.days('w', { fromDay: 0, toDay: 9 }), usage, 'counts are kept')
    })

    test('deletes waiting runs too, but not resumed ones', async () => {
      await world.beginAndBe('waiting', 'forgotten', { leaseUntil: 2000 })
      await world.beginAndBe('waiting', 'answered', { leaseUntil: 2000 })
      await world.runs.claimWaiting('w', 'answered', { lease: 'l', until: 3000, reply: '{}', chatId: '' })
      assert.equal(await world.sweep.sweepRuns(2000, 100), 0)
      assert.equal(await world.sweep.sweepRuns(9000, 100), 1)
      assert.deepEqual(await world.rowsOf('forgotten'), [0, 0, 0, 0])
      assert.deepEqual(await world.rowsOf('answered'), [1, 2, 1, 1])
    })

    test('deletes the oldest first, up to a limit, also with very many events', async () => {
      for (let index = 0; index < 130; index++) {
        const hold = await world.begin(`r${index}`)
        const events = { first: 1, last: index % 2 === 0 ? 4000 : 1, lines: '' }
        await world.write(hold, { events, run: patch('succeeded', { finishedAt: 1500 + index }) })
      }
      assert.equal(await world.sweep.sweepRuns(9000, 120), 120)
      const { items } = await world.runs.list('w', {}, { page: 1, pageSize: 100 })
      assert.deepEqual(
        items.map(({ finishedAt }) => finishedAt! - 1500).sort(),
        [120, 121, 122, 123, 124, 125, 126, 127, 128, 129],
      )
      assert.equal(await world.sweep.sweepRuns(9000, 120), 10)
      assert.equal(await world.sweep.sweepRuns(9000, 120), 0)
    })
  })

  test('isolates workspaces that use the same ids', async () => {
    const mine = await world.beginAndBe('running', 'r')
    const theirs = await world.beginAndBe('running', 'r', { lease: 'theirs' }, 'v')
    assert.equal(await world.runs.commit({ ...mine, workspaceId: 'v' }, entry({ steps: [step('x')] })), false)
    await world.write(mine, { steps: [step('only mine')], events: batch(4, 9), run: patch('failed') })
    assert.deepEqual(await world.rowsOf('r'), [1, 3, 1, 2])
    assert.deepEqual(await world.rowsOf('r', 'v'), [1, 2, 1, 1])
    assert.equal((await world.runs.find('v', 'r'))?.status, 'running')
    await world.runs.release({ ...theirs, workspaceId: 'w' }, 1)
    assert.equal((await world.runs.leases.renew([theirs], 8000)).size, 1)
    assert.equal(await world.sweep.sweepRuns(9000, 10), 1)
    assert.deepEqual(await world.rowsOf('r', 'v'), [1, 2, 1, 1])
  })

  test('deletes the runs of a deleted workspace, and rejects further writes of a lease holder', async () => {
    const access = new AccessStore(world.database)
    for (const id of ['w', 'v']) await access.addWorkspace({ id, name: id, createdAt: 1 })
    const hold = await world.beginAndBe('running', 'r')
    await world.beginAndBe('succeeded', 'r', {}, 'v')
    await access.removeWorkspace('w', 1500)
    while (await access.purge(2000));
    assert.deepEqual(await world.rowsOf('r'), [0, 0, 0, 0])
    assert.equal(await world.runs.commit(hold, entry({ steps: [step('c')], run: patch('failed') })), false)
    assert.deepEqual(await world.rowsOf('r'), [0, 0, 0, 0])
    assert.deepEqual(await world.usage.days('w', { fromDay: 0, toDay: 9 }), [])
    assert.deepEqual(await world.rowsOf('r', 'v'), [1, 2, 1, 1])
  })

  test('accepts concurrent writes to different runs', async () => {
    const other = await opened.openAgain()
    const holds = await Promise.all(Array.from({ length: 30 }, (_, index) => world.begin(`r${index}`)))
    await Promise.all(
      holds.map(async (hold, index) => {
        const where = index % 2 === 0 ? world : other
        for (let turn = 1; turn <= 5; turn++)
          await where.write(hold, { steps: [step(`s${turn}`)], events: batch(turn, turn) })
        await where.write(hold, { run: patch('succeeded') })
      }),
    )
    for (const hold of holds) assert.deepEqual(await world.rowsOf(hold.runId), [1, 5, 0, 5])
    const [day] = await world.usage.days('w', { fromDay: 0, toDay: 9 })
    assert.equal(day?.runs, 30)
  })
})
