import assert from 'node:assert/strict'
import test from 'node:test'
import { conversationOperations } from '../../src/contract/conversation-operations.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operations } from '../../src/contract/operations.ts'
import { runOperations } from '../../src/contract/run-operations.ts'

const bodyLimit = (operation: Operation): number => operation.bodyLimit ?? limits.jsonBytes

/** Of the texts in a schema. */
function longestText(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const { type, maxLength } = schema as { type?: unknown; maxLength?: number }
  return Math.max(type === 'string' ? (maxLength ?? 0) : 0, ...Object.values(schema).map(longestText))
}

test('a body may hold the longest message in any script, also with every character escaped', () => {
  const { run, rerun, resumeRun, debug } = runOperations
  for (const operation of [run, rerun, resumeRun, debug, conversationOperations.chat]) {
    assert.equal(longestText(operation.body), limits.messageLength, operation.name)
    assert.ok(bodyLimit(operation) > limits.messageLength * '\\ud83c\\udf33'.length, operation.name)
  }
})

test('a body may hold the longest text in Chinese', () => {
  // Their limit is that of the body.
  const files = ['workflow.import', 'tool.import']
  for (const operation of operations) {
    if (files.includes(operation.name) || operation.streamsBody) continue
    assert.ok(bodyLimit(operation) > longestText(operation.body) * Buffer.byteLength('树'), operation.name)
  }
})
