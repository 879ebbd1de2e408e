import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { DatabaseTime } from '../../src/cluster/database-time.ts'
import { hasEnded, isHeldByNeighbour, newLease } from '../../src/cluster/lease-name.ts'
import { steadyClock } from '../../src/kernel/clock.ts'

const module = join(import.meta.dirname, '../../src/cluster/lease-name.ts')

test('knows whether the holder of a lease on this machine still exists', async () => {
  const source = `import(${JSON.stringify(module)}).then(({ newLease }) => {
    console.log(newLease()); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const lease = line.toString().trim()
  const [host, pid, life] = lease.split('/') as [string, string, string]
  const isKnown = process.platform === 'linux'
  assert.deepEqual([hasEnded(lease), isHeldByNeighbour(lease)], [false, isKnown])
  child.kill('SIGSTOP')
  assert.deepEqual([hasEnded(lease), isHeldByNeighbour(lease)], [false, isKnown], 'a stopped process exists')
  if (isKnown)
    assert.deepEqual(
      [hasEnded(`${host}/${pid}/1${life}/x`), isHeldByNeighbour(`${host}/${pid}/1${life}/x`)],
      [true, false],
      'another process with the same id',
    )
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual([hasEnded(lease), isHeldByNeighbour(lease)], [true, false])
})

test('judges neither its own leases nor those of other machines', () => {
  const own = newLease()
  assert.deepEqual([hasEnded(own), isHeldByNeighbour(own)], [false, false])
  const [, pid, life] = own.split('/')
  const elsewhere = `another-host/${pid}/${life}/random`
  assert.deepEqual([hasEnded(elsewhere), isHeldByNeighbour(elsewhere)], [false, false])
})

test('a monotonic clock does not follow changes of the system clock', () => {
  let now = 1_000_000
  const clock = steadyClock({ now: () => now })
  now += 3_600_000
  assert.ok(clock.now() < 1_060_000)
})

test('the time of leases follows the database after each reading, and continues without it', async () => {
  let read: () => Promise<number> = async () => 5_000_000
  const time = new DatabaseTime({ now: () => 1_000_000 }, () => read())
  assert.ok(time.now() < 1_060_000)
  await time.refresh()
  assert.ok(time.now() >= 5_000_000 - 1 && time.now() < 5_060_000)
  read = () => Promise.reject(new Error('unreachable'))
  await time.refresh()
  assert.ok(time.now() >= 5_000_000 - 1 && time.now() < 5_060_000)
})

test('a delayed answer does not set the time back', async t => {
  let passed = 0
  const { now } = performance
  mock.method(performance, 'now', () => now.call(performance) + passed)
  t.after(() => mock.restoreAll())
  let delay = 0
  const time = new DatabaseTime({ now: () => 1 }, async () => {
    const read = 5_000_000 + passed
    passed += delay
    return read
  })
  await time.refresh()
  passed += 60_000
  delay = 20_000
  assert.ok(time.reachableMilliseconds >= 60_000)
  await time.refresh()
  assert.ok(time.now() >= 5_080_000 - 10, 'the time that passed meanwhile counts')
  assert.ok(time.reachableMilliseconds < 20_000, 'it was an interruption')
})

test('the time is as accurate as the fastest answer, also while a server is busy', async t => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  const delays = [600, 400, 4, 800, 0, 900]
  const time = new DatabaseTime({ now: () => 1 }, async () => {
    const read = 5_000_000 + passed
    passed += delays.shift() ?? 0
    return read
  })
  const error = () => Math.abs(time.now() - (5_000_000 + passed))
  await time.refresh()
  assert.ok(error() <= 5, `${error()} ms after the start, whose first answers were late`)
  assert.equal(delays.length, 3, 'asked until an answer was quick')
  for (const _ of [1, 2, 3]) {
    passed += 5000
    await time.refresh()
    assert.ok(error() <= 5, `${error()} ms after a late answer`)
  }
})

test('a caller that asks while the time is first read gets that of the database', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const time = new DatabaseTime({ now: () => 1 }, () => promise)
  const first = time.refresh()
  const second = time.refresh().then(() => time.now())
  resolve(5_000_000)
  await first
  assert.ok((await second) >= 4_999_999)
})

test('the time follows the clock of the database when that is set', async t => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  let set = 5_000_000
  const time = new DatabaseTime({ now: () => 1 }, async () => set + passed)
  await time.refresh()
  for (const change of [60_000, -3_600_000]) {
    set += change
    passed += 5000
    await time.refresh()
    assert.ok(Math.abs(time.now() - (set + passed)) <= 2)
  }
})
