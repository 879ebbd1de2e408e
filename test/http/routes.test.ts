import assert from 'node:assert/strict'
import test from 'node:test'
import Fastify from 'fastify'
import type { Operation } from '../../src/contract/operation.ts'
import { serverOperations } from '../../src/contract/server-operations.ts'
import type { ServerParts } from '../../src/http/route.ts'
import { registerRoute } from '../../src/http/route.ts'

const register = (operation: Operation): void =>
  registerRoute(Fastify().decorate('executors', new Map()), {} as ServerParts, {
    operation,
    handler: () => ({}),
  })

test('refuses to register a route without access or outside the contract', () => {
  const { access: _, ...undeclared } = serverOperations.healthz
  assert.throws(() => register(undeclared as unknown as Operation), /does not declare its access/)
  assert.throws(() => register({ ...serverOperations.healthz }), /not part of the API/)
  assert.doesNotThrow(() => register(serverOperations.healthz))
})
