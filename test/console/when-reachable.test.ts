import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, mock, test } from 'node:test'
import { whenReachable } from '../../console/src/api/when-reachable.ts'

// Own process: it replaces globals of the browser.
const page = new EventTarget()
Object.assign(globalThis, {
  window: page,
  document: Object.assign(new EventTarget(), { visibilityState: 'visible', baseURI: 'http://server/' }),
})
let status: number | undefined
let checks: number
const fetching = mock.method(globalThis, 'fetch', async () => {
  checks += 1
  if (status === undefined) throw new TypeError('Failed to fetch')
  return new Response(null, { status })
})
after(() => fetching.mock.restore())

let now = 0
beforeEach(() => {
  status = undefined
  checks = 0
  // Far apart, because pauses grow within an outage.
  now += 3_600_000
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now })
})
afterEach(() => mock.timers.reset())

const settled = () => new Promise(resolve => setImmediate(resolve))
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    mock.timers.tick(1000)
    await settled()
  }
}

test('listeners are called once, when the server answers again', async () => {
  const called: string[] = []
  whenReachable(() => called.push('a'))
  whenReachable(() => called.push('b'))
  const cancel = whenReachable(() => called.push('c'))
  await pass(1)
  status = 502
  await pass(5)
  assert.deepEqual([called, checks], [[], 2])
  cancel()
  status = 200
  await pass(30)
  assert.deepEqual(called, ['a', 'b'])
  const before = checks
  await pass(120)
  assert.equal(checks, before)
})

test('listeners that are replaced do not delay the first check', async () => {
  let calls = 0
  let cancel = (): void => {}
  for (let count = 0; count < 10; count++) {
    cancel()
    cancel = whenReachable(() => {
      calls += 1
    })
  }
  status = 200
  await pass(1)
  assert.equal(calls, 1)
})

test('the browser reports the connection before the next check is due', async () => {
  let calls = 0
  whenReachable(() => {
    calls += 1
  })
  await pass(60)
  status = 204
  page.dispatchEvent(new Event('online'))
  await settled()
  assert.equal(calls, 1)
})

test('nothing is checked once nobody waits', async () => {
  const cancel = whenReachable(() => assert.fail('called'))
  cancel()
  status = 200
  await pass(60)
  assert.equal(checks, 0)
})
