import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../src/http/request-limiter.ts'
import { RequestsInProgress } from '../../src/http/requests-in-progress.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let server: TestServer
/** What the server logs as an error. */
const errors: unknown[] = []
const begun: FastifyRequest[] = []
const inProgress = new Set<FastifyRequest>()
before(async () => {
  const { begin, end } = RequestsInProgress.prototype
  mock.method(
    RequestsInProgress.prototype,
    'begin',
    function (this: RequestsInProgress, request: FastifyRequest) {
      begun.push(request)
      inProgress.add(request)
      begin.call(this, request)
    },
  )
  mock.method(
    RequestsInProgress.prototype,
    'end',
    function (this: RequestsInProgress, request: FastifyRequest) {
      inProgress.delete(request)
      end.call(this, request)
    },
  )
  server = await startTestServer({}, undefined, ({ log }) => {
    mock.method(log, 'error', (details: unknown) => errors.push(details))
  })
})
after(async () => {
  await server.stop()
  mock.restoreAll()
})
beforeEach(() => {
  errors.length = 0
  begun.length = 0
})

const count = 40

/** Sends requests, and disconnects from each of them after up to four milliseconds. */
async function leave(path: string, bodyOf: (at: number) => object): Promise<void> {
  const { hostname, port } = new URL(server.base)
  for (let at = 0; at < count; at++) {
    const body = JSON.stringify(bodyOf(at))
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST /api/v1/${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${operatorToken}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await sleep(at % 4)
    socket.resetAndDestroy()
  }
  await until('all requests have ended', async () => inProgress.size === 0)
  assert.ok(begun.length > count / 2, 'most requests arrived')
}

/** The requests of an operation that are in the metrics; where the client had left at once, it is unknown. */
async function countedRequests(operation: string): Promise<number> {
  const { text: metrics } = await server.api.get('/metrics')
  const lines = metrics.matchAll(/^banyan_http_requests_total\{route="([^"]+)".*\} (\d+)$/gm)
  return Array.from(lines, ([, name, times]) =>
    name === operation || name === 'unknown' ? Number(times) : 0,
  ).reduce((sum, times) => sum + times, 0)
}

test('a client that disconnects during a change leaves nothing behind, and causes no server error', async () => {
  await leave('workflow/update', at => ({ id: `left_${at}`, workflow: { nodes: [], edges: [] } }))
  assert.deepEqual(errors, [])
  const { length } = begun
  assert.equal(await countedRequests('workflow.update'), length)
})

test('a client that disconnects during a stream leaves nothing behind, and causes no server error', async () => {
  const id = await makeWorkflow(server.api, chain(output('say', 'Hello')))
  await leave('workflow/run', () => ({ id, stream: 1 }))
  assert.deepEqual(errors, [])
})

test('the address of a client that has disconnected is unknown', () => {
  assert.equal(networkOf(undefined), '')
})

test('the MCP server closes the connection at once when the client asks for it', async () => {
  const asked = request(`${server.base}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      ...{ authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', connection: 'close' },
    },
  })
  asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers.connection, 'close')
  assert.match(await text(response), /"tools"/)
})
