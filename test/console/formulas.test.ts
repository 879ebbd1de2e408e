import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formulaIn, formulaMark, markFormulas } from '../../console/src/ui/markdown/formulas.ts'

/** The formulas of a text, as they are shown. */
const formulasIn = (text: string): string[] =>
  [...markFormulas(text).matchAll(/(`+)(\uE000[\s\S]*?)\1/g)].map(([, , marked]) => formulaIn(marked!)!.tex)

test('formulas in dollars and in backslash brackets are found', () => {
  assert.deepEqual(formulasIn('If $x^2 = 4$ then \\(x = \\pm 2\\).'), ['x^2 = 4', 'x = \\pm 2'])
  assert.deepEqual(formulasIn('So\n\n$$\nE = mc^2\n$$\n\nand \\[a\\\\b\\].'), ['E = mc^2', 'a\\\\b'])
  assert.equal(markFormulas('$$x$$'), `\`${formulaMark}${formulaMark}x\``)
})

test('prices, variables of a shell and code are no formulas', () => {
  for (const text of [
    'It costs $5.',
    'From $5 to $10, or $5-$10.',
    'US$5 and US$6',
    'Set $HOME and $PATH',
    'Write `$x$` and ``a $b$ c``.',
    '```sh\necho $A$B $x$\n```',
    'Escaped \\$x$ stays',
    '价格 $5，折后 $4。',
  ])
    assert.equal(markFormulas(text), text)
})

test('a formula may contain backticks', () => {
  assert.deepEqual(formulasIn('$a`b$'), ['a`b'])
})
