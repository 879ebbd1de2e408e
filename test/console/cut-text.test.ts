import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText } from '../../console/src/ui/cut-text.ts'

test('a text is cut between characters', () => {
  assert.equal(cutText('tea', 5), 'tea')
  assert.equal(cutText('green tea', 5), 'green')
  assert.equal(cutText('tea 🍵', 6), 'tea 🍵')
  assert.equal(cutText('tea 🍵', 5), 'tea ')
})
