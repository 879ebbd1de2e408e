import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  patchOf,
  rebased,
  usualSettings,
  withFields,
} from '../../console/src/pages/knowledge/settings-form.ts'

test('only changes since editing started are sent', () => {
  const start = { ...usualSettings, name: 'Handbook', description: 'How we work' }
  const typed = { name: 'Handbook', description: 'How we live', chunking: { size: 256 } }
  assert.deepEqual(patchOf(withFields(start, typed), start), {
    description: 'How we live',
    chunking: { size: 256 },
  })
  assert.deepEqual(patchOf(withFields(start, { name: 'Handbook' }), start), {})
})

test('input that is typed during a save is kept over the saved values', () => {
  const sent = { ...usualSettings, name: ' Handbook ', description: 'How we work' }
  const saved = { ...sent, name: 'Handbook', retrieval: { ...sent.retrieval, top_k: 9 } }
  assert.deepEqual(rebased(sent, sent, saved), saved)
  const typed = withFields(sent, { description: 'How we live', retrieval: { rerank: true } })
  assert.deepEqual(patchOf(rebased(typed, sent, saved), saved), {
    description: 'How we live',
    retrieval: { rerank: true },
  })
})
