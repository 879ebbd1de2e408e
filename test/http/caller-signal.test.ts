import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { loggedError } from '../../src/http/errors.ts'
import { callerSignal } from '../../src/http/event-stream.ts'
import { AppError } from '../../src/kernel/app-error.ts'

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

test('logs a request that the shutdown ended, but not as an error', () => {
  const { stop, signal } = signalOf({})
  const levels: string[] = []
  const log = pino(
    { formatters: { level: label => ({ level: label }) } },
    {
      write: line => levels.push(JSON.parse(line).level),
    },
  )
  const isDown = new AppError('unavailable', 'The database cannot be reached', {
    cause: new Error('refused'),
  })
  loggedError(new AppError('unavailable', 'Try again'), 'trace', log, stop.signal)
  stop.abort()
  loggedError(signal.reason, 'trace', log, stop.signal)
  loggedError(isDown, 'trace', log, stop.signal)
  loggedError(new Error('unexpected'), 'trace', log, stop.signal)
  assert.deepEqual(levels, ['error', 'info', 'error', 'error'])
})
