import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Presence, type PresenceReport } from '../../src/access/presence.ts'
import { MessageBus } from '../../src/cluster/message-bus.ts'
import { limits } from '../../src/contract/limits.ts'

/** Two processes whose messages reach both, and a clock that the test sets. */
function twoProcesses() {
  const bus = new MessageBus()
  const cluster = {
    publish: (topic: string, message = '') => bus.deliver(topic, message),
    subscribe: bus.subscribe.bind(bus),
  }
  const time = { now: 1000 }
  const clock = { now: () => time.now }
  return { time, first: new Presence(cluster, clock), second: new Presence(cluster, clock) }
}

const report = (name: string, window: string, more: Partial<PresenceReport> = {}): PresenceReport => ({
  ...{ workspaceId: 'w', kind: 'workflow', id: 'wf', window, tokenId: `token_${name}`, name, leaving: false },
  ...more,
})

test('windows with the same object see each other across processes, until they close or stop reporting', () => {
  const { time, first, second } = twoProcesses()
  assert.deepEqual(first.report(report('Ada', 'a1')), [])
  assert.deepEqual(second.report(report('Bob', 'b1')), [{ name: 'Ada', isSame: false, windows: 1 }])
  first.report(report('Ada', 'a2'))
  assert.deepEqual(first.report(report('Ada', 'a1')), [
    { name: 'Ada', isSame: true, windows: 1 },
    { name: 'Bob', isSame: false, windows: 1 },
  ])
  assert.deepEqual(second.report(report('Bob', 'b1')), [{ name: 'Ada', isSame: false, windows: 2 }])
  first.report(report('Ada', 'a2', { leaving: true }))
  assert.deepEqual(second.report(report('Bob', 'b1')), [{ name: 'Ada', isSame: false, windows: 1 }])
  time.now += limits.presenceMilliseconds
  assert.deepEqual(second.report(report('Bob', 'b1')), [])
})

test('windows of other objects, kinds and workspaces are not visible, and no object exceeds its share', () => {
  const { first } = twoProcesses()
  first.report(report('Ada', 'a1'))
  for (const other of [{ id: 'other' }, { kind: 'agent' as const }, { workspaceId: 'v' }])
    assert.deepEqual(first.report(report('Bob', 'b1', other)), [])
  for (let at = 0; at < 2 * limits.windowsPerObject; at++) first.report(report('Robot', `r${at}`))
  const [ada, robot] = first.report(report('Bob', 'b1'))
  assert.equal(ada?.windows, 1)
  assert.equal(robot?.windows, limits.windowsPerObject - 1)
})

test('a workspace evicts no windows of another, and its own inactive windows first', () => {
  const { time, first } = twoProcesses()
  first.report(report('Ada', 'a1', { workspaceId: 'v' }))
  const flood = () => {
    for (let at = 0; at < limits.presentWindows; at++) first.report(report('Robot', 'r', { id: `wf${at}` }))
  }
  flood()
  assert.equal(first.report(report('Bob', 'b1', { workspaceId: 'v' }))[0]?.name, 'Ada')
  assert.deepEqual(first.report(report('Eve', 'e1', { id: 'wf0' })), [
    { name: 'Robot', isSame: false, windows: 1 },
  ])
  time.now += limits.presenceMilliseconds
  first.report(report('Robot', 'r', { id: 'last' }))
  assert.equal(first.report(report('Eve', 'e1', { id: 'last' }))[0]?.name, 'Robot')
  flood()
  assert.equal(first.report(report('Eve', 'e1', { id: 'wf0' }))[0]?.name, 'Robot')
})
