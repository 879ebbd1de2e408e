import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { PostgresChannel } from '../../src/adapters/sql/postgres-channel.ts'

/** Answers each statement a few turns of the event loop later, and counts those that are open at a time. */
class SlowClient extends EventEmitter {
  readonly connection = { stream: { destroy(): void {} } }
  readonly notified: string[] = []
  open = 0
  maxOpen = 0

  async query(_text: string, [payloads = []]: [string[]?] = []): Promise<{ rows: object[] }> {
    this.maxOpen = Math.max(this.maxOpen, ++this.open)
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    this.open--
    this.notified.push(...payloads)
    return { rows: [{}] }
  }

  async end(): Promise<void> {}
}

test('the connection for messages executes one statement at a time', async () => {
  const client = new SlowClient()
  const stop = new AbortController()
  const { promise: isConnected, resolve: connected } = Promise.withResolvers<void>()
  const { promise: isChecked, resolve: read } = Promise.withResolvers<void>()
  const channel = new PostgresChannel({
    connect: async () => client as unknown as pg.Client,
    receive() {},
    connected,
    check: { statement: 'SELECT 1', read: () => read() },
    log: { warn: (_details, message) => assert.fail(message) },
  })
  const running = channel.run(stop.signal)
  await isConnected
  channel.send('one')
  channel.send('two')
  await isChecked
  while (client.notified.length < 2) await setImmediate()
  stop.abort()
  await running
  assert.deepEqual(client.notified, ['one', 'two'])
  assert.equal(client.maxOpen, 1)
})
