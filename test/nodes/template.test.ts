import assert from 'node:assert/strict'
import test from 'node:test'
import { template } from '../../src/nodes/template.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

test('a template replaces references and sends no message', async () => {
  const step = fakeStep({ values: { 'a.result': { name: 'Ada' } }, memory: { mood: 'calm' } })
  const data = { template: '{{#a.result.name#}} is {{#memory.mood#}}{{#skipped.text#}}' }
  assert.deepEqual(await outputsOf(template, step, data), { text: 'Ada is calm', result: 'Ada is calm' })
  assert.equal(template.messageField, undefined)
})
