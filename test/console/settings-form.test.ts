import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchOf, usualSettings, withFields } from '../../console/src/pages/knowledge/settings-form.ts'

test('only changes since editing started are sent', () => {
  const start = { ...usualSettings, name: 'Handbook', description: 'How we work' }
  const typed = { name: 'Handbook', description: 'How we live', chunking: { size: 256 } }
  assert.deepEqual(patchOf(withFields(start, typed), start), {
    description: 'How we live',
    chunking: { size: 256 },
  })
  assert.deepEqual(patchOf(withFields(start, { name: 'Handbook' }), start), {})
})
