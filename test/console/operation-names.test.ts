import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationName } from '../../console/src/pages/audit/operation-names.ts'
import { operations } from '../../src/contract/operations.ts'

test('every change of the audit log has a name in both languages', () => {
  const names = operations.filter(({ changes }) => changes).map(({ name }) => name)
  const unnamed = names.filter(name =>
    (['en', 'zh'] as const).some(language => operationName(language, name) === name),
  )
  assert.deepEqual(unnamed, [])
  assert.equal(operationName('en', 'agent.update'), 'Agent updated')
  assert.equal(operationName('zh', 'of_a_newer.server'), 'of_a_newer.server')
})
