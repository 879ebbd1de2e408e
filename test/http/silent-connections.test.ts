import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startTestServer } from '../support/test-server.ts'

test('shuts down without waiting for idle connections or incomplete requests', async () => {
  const server = await startTestServer({ DEMO: 'off' })
  const { port, hostname } = new URL(server.base)
  const sockets = [connect(Number(port), hostname), connect(Number(port), hostname)]
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  // The second connection sends an incomplete request.
  sockets[1]!.write('GET /healthz HT')
  assert.equal((await server.api.get('/healthz')).status, 200)
  const closed = Promise.all(sockets.map(socket => once(socket.resume(), 'close')))
  const stopped = server.stop()
  const late = new Promise((_, reject) =>
    setTimeout(reject, 15_000, new Error('shutdown waited for open connections')).unref(),
  )
  await Promise.race([Promise.all([closed, stopped]), late])
})
