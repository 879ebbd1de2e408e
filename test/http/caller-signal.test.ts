import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerSignal } from '../../src/http/event-stream.ts'

function signalOf(raw: Partial<{ destroyed: boolean; closed: boolean }>, stop = new AbortController()) {
  const response = Object.assign(new EventEmitter(), { destroyed: false, closed: false, ...raw })
  const request = { server: { stopping: stop.signal } } as unknown as FastifyRequest
  const signal = callerSignal(request, { raw: response } as unknown as FastifyReply)
  return { response, stop, signal }
}

test('aborts the signal when the client disconnects or the server stops', () => {
  const left = signalOf({})
  assert.equal(left.signal.aborted, false)
  left.response.emit('close')
  assert.equal(left.signal.reason.reason, 'malformed_http')
  const stopped = signalOf({})
  stopped.stop.abort()
  assert.equal(stopped.signal.reason.reason, 'unavailable')
})

test('returns an aborted signal for a client that has already disconnected', () => {
  assert.equal(signalOf({ destroyed: true }).signal.aborted, true)
  assert.equal(signalOf({ closed: true }).signal.aborted, true)
})
