import assert from 'node:assert/strict'
import test from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { ModelNotConfigured } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { stepFailureOf } from '../../src/nodes/kind-definition.ts'
import { ToolFailure } from '../../src/tools/tool-failure.ts'
import { StepFailure } from '../../src/workflow/step.ts'

const mapped = (error: unknown) => {
  const failure = stepFailureOf(error)
  assert.ok(failure instanceof StepFailure)
  assert.equal(failure.cause, error)
  assert.equal(failure.message, (error as Error).message)
  return [failure.reason, failure.retryable, failure.retryAfterMilliseconds]
}

test('errors of services become step failures with their reason and retryability', () => {
  const later = { retryable: true, retryAfterMilliseconds: 5 }
  assert.deepEqual(mapped(new ModelFailure('a', later)), ['model_failed', true, 5])
  assert.deepEqual(mapped(new ModelFailure('a', { retryable: false })), ['model_failed', false, undefined])
  assert.deepEqual(mapped(new ModelNotConfigured('set MODEL_NAME')), ['not_configured', false, undefined])
  assert.deepEqual(mapped(new ToolFailure('a', later)), ['step_failed', true, 5])
  assert.deepEqual(mapped(new AppError('not_found', 'a')), ['not_found', false, undefined])
  assert.deepEqual(mapped(new AppError('unavailable', 'a')), ['unavailable', true, undefined])
  const cause = new ModelFailure('down', later)
  assert.deepEqual(mapped(new AppError('model_failed', 'a', { cause })), ['model_failed', true, 5])
})

test('abort reasons, step failures and internal errors are returned as they are', () => {
  for (const error of [new Error('stopped'), new StepFailure('timed_out', 'late'), undefined, 'text'])
    assert.equal(stepFailureOf(error), error)
})
