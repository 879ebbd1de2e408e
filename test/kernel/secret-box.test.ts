import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SecretBox, SecretUnreadable } from '../../src/kernel/secret-box.ts'

const box = new SecretBox('a secret of the tests')

test('opens sealed text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (text, context) => {
      assert.equal(box.open(box.seal(text, context), context), text)
    }),
    { numRuns: 200 },
  )
})

test('reveals nothing of the text, and seals equal texts differently', () => {
  const sealed = box.seal('sk-canary', 'w/m')
  assert.doesNotMatch(sealed, /canary/)
  assert.doesNotMatch(Buffer.from(sealed.slice(3), 'base64url').toString('latin1'), /canary/)
  assert.notEqual(sealed, box.seal('sk-canary', 'w/m'))
})

test('opens only in the context it was sealed for', () => {
  const sealed = box.seal('sk-canary', 'w1/m1')
  for (const context of ['', 'w1/m2', 'w2/m1', 'w1/m1 '])
    assert.throws(() => box.open(sealed, context), SecretUnreadable, context)
})

test('fails with instructions after the secret changed', () => {
  const sealed = box.seal('sk-canary', 'w/m')
  const other = new SecretBox('another secret of the tests')
  assert.throws(() => other.open(sealed, 'w/m'), /SECRET_KEY has changed; enter it again/)
  assert.equal(new SecretBox('a secret of the tests').open(sealed, 'w/m'), 'sk-canary')
})

test('detects any changed character, and rejects text that was never sealed', () => {
  const sealed = box.seal('sk-canary', 'w/m')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.throws(() => box.open(`v1.${changed.toString('base64url')}`, 'w/m'), SecretUnreadable, `${at}`)
  }
  for (const text of [
    '',
    'v1.',
    'v1.AAAA',
    'sk-canary',
    sealed.slice(3),
    `v2.${sealed.slice(3)}`,
    sealed.slice(0, -4),
  ])
    assert.throws(() => box.open(text, 'w/m'), SecretUnreadable, text)
})

test('does not seal with an empty secret', () => {
  assert.throws(() => new SecretBox(''), /must not be empty/)
})
