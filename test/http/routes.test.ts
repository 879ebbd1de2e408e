import assert from 'node:assert/strict'
import test from 'node:test'
import Fastify from 'fastify'
import type { Operation } from '../../src/contract/operation.ts'
import { serverOperations } from '../../src/contract/server-operations.ts'
import { registerRoute } from '../../src/http/register-route.ts'
import type { ServerParts } from '../../src/http/server-parts.ts'

const register = (operation: Operation): void =>
  registerRoute(Fastify(), {} as ServerParts, { operation, handler: () => ({}) })

test('a route that does not declare who may use it, or that nobody knows of, does not start', () => {
  const { access: _, ...undeclared } = serverOperations.healthz
  assert.throws(() => register(undeclared as unknown as Operation), /does not declare who may use it/)
  assert.throws(() => register({ ...serverOperations.healthz }), /not part of the interface/)
  assert.doesNotThrow(() => register(serverOperations.healthz))
})
