import assert from 'node:assert/strict'
import test from 'node:test'
import { end } from '../../src/nodes/end.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

test('an end node has no outputs of its own', async () =>
  assert.deepEqual(await outputsOf(end, fakeStep()), {}))
