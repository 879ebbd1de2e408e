import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonProblems } from '../../src/nodes/llm/answer-schema.ts'

test('values are compared with choices and forms', async () => {
  const caller = new AbortController()
  const problems = (value: unknown, schema: unknown) => jsonProblems(value, schema, caller)
  const sizes = { items: { enum: ['S', 'M', { size: 1 }] } }
  assert.deepEqual(await problems(['M', { size: 1 }, 'S'], sizes), [])
  assert.deepEqual(await problems(['M', 'L'], sizes), ['the answer at 1 must be one of ["S","M",{"size":1}]'])
  assert.deepEqual(await problems(1, { const: 2 }), ['the answer must be one of [2]'])
  const forms = { anyOf: [{ type: 'null' }, { items: { type: 'integer' } }] }
  assert.deepEqual(await problems([1, 2], forms), [])
  assert.deepEqual(await problems([1, 'x'], forms), ['the answer has none of the allowed forms'])
  assert.equal((await problems(new Array(99).fill('x'), { items: { type: 'null' } })).length, 10)
})

test('many values are compared with many forms in slices, which end with the caller', async () => {
  const caller = new AbortController()
  const items = { anyOf: [...new Array(300).fill({ type: 'null' }), { type: 'integer' }] }
  const checking = jsonProblems(new Array(3000).fill(1), { items }, caller)
  assert.ok(checking instanceof Promise)
  caller.abort(new Error('the step is over'))
  await assert.rejects(checking, /the step is over/)
})
