import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../src/kernel/slices.ts'
import { TextFinder } from '../../src/kernel/text-finder.ts'

const replaced = (texts: string[], text: string): string => atOnce(new TextFinder(texts).replaceIn(text, '*'))

/** Slow, but evidently right. */
function expected(texts: string[], text: string): string {
  let result = ''
  for (let at = 0; at < text.length; ) {
    const found = texts
      .filter(each => text.startsWith(each, at))
      .sort((one, other) => other.length - one.length)[0]
    result += found === undefined ? text[at] : '*'
    at += found?.length ?? 1
  }
  return result
}

test('replaces what any of the texts matches, the longest first', () => {
  assert.equal(replaced(['secret', 'secrets', 'cret'], 'secrets and secret, concrete'), '* and *, con*e')
  assert.equal(replaced(['aaab'], `${'a'.repeat(100)}b`), `${'a'.repeat(97)}*`)
  assert.equal(replaced(['x'.repeat(1000)], 'x'.repeat(2500)), `**${'x'.repeat(500)}`)
  assert.equal(replaced(['none'], 'no'), 'no')
})

test('finds the same as a search at every place', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '榕'), minLength: 2, maxLength: 6 })
  const long = fc.string({ unit: fc.constantFrom('a', 'b', '榕'), maxLength: 300 })
  fc.assert(
    fc.property(fc.array(few, { minLength: 1, maxLength: 8 }), long, (texts, text) => {
      assert.equal(replaced(texts, text), expected(texts, text))
    }),
  )
})

test('pauses in a long text', () => {
  const work = new TextFinder(['aaaaaaab']).replaceIn('a'.repeat(1 << 20), '*')
  let pauses = 0
  while (!work.next().done) pauses++
  assert.ok(pauses > 50, `${pauses} pauses`)
})
