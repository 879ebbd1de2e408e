import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { atOnce } from '../../src/kernel/slices.ts'
import { matches } from '../../src/nodes/clauses.ts'
import { findComparison, refuseLarge } from '../../src/nodes/compare-values.ts'
import { mapValue } from '../../src/nodes/extractor/parameters.ts'
import { readJsonAnswer } from '../../src/nodes/model-call.ts'

/** Far more than needed; a pattern that backtracks would need days. */
const timeoutMilliseconds = 60_000

/** Runs code in a thread, because a running pattern cannot be interrupted otherwise. */
async function ends(file: string, program: string): Promise<void> {
  const from = new URL(`../../src/nodes/${file}`, import.meta.url)
  const worker = new Worker(`import(${JSON.stringify(from.href)}).then(async it => { ${program} })`, {
    eval: true,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  try {
    const [code] = await once(worker, 'exit', { signal: AbortSignal.timeout(timeoutMilliseconds) })
    assert.equal(code, 0)
  } finally {
    await worker.terminate()
  }
}

test('a long text that is almost a number is rejected quickly', async () => {
  await ends('compare-values.ts', `it.findComparison('gt')('1'.repeat(1e6) + 'x', 1)`)
  const greater = findComparison('gt')!
  assert.equal(greater('1'.repeat(300), 1), true)
  assert.equal(greater('1'.repeat(401), 1), false)
  for (const number of ['1.', '.5', '-1.5e3', '+1e-2', ' 7 '])
    assert.equal(findComparison('equals')!(number, Number(number)), true, number)
})

test('a long answer with an open code fence is searched quickly', async () => {
  await ends('model-call.ts', "it.readJsonAnswer('```' + ' '.repeat(1e6))")
  for (const text of [
    '```json\n{"a":1}\n```',
    '```JSON {"a":1}```',
    'so:\n```\n\u00a0{"a":1}\n``` or {',
    '{"a":1}',
  ])
    assert.deepEqual(readJsonAnswer(text), { a: 1 }, text)
  assert.equal(readJsonAnswer('```json\n1'), undefined)
})

test('a long text that starts with a date is rejected quickly', async () => {
  const program = `it.mapValue({ type: 'date', options: [] }, '2026-11-15T' + ' '.repeat(1e6) + '\\nx')`
  await ends('extractor/parameters.ts', program)
  const date = { type: 'date', options: [] } as const
  assert.equal(mapValue(date, ' 2026-11-15T08:00:00.000+08:00[Asia/Shanghai]\n'), '2026-11-15')
  assert.equal(mapValue(date, `2026-11-15T${'0'.repeat(101)}`), undefined)
})

test('a tool name may have any length', () =>
  ends(
    'llm/tools.ts',
    `const url = 'https://api.test/'
     const source = { type: 'http', name: 'x' + '_'.repeat(1e6) + 'x', url, shownUrl: url, method: 'GET', headers: {}, parameters: {} }
     const { tools: [tool] } = await it.collectTools([source], {}, {})
     if (tool.name !== 'x') throw new Error(tool.name)`,
  ))

/** An object that counts how often its JSON is made. */
function counted(): { value: object; count: () => number } {
  let count = 0
  const toJSON = () => {
    count += 1
    return { a: 1 }
  }
  return { value: { toJSON }, count: () => count }
}

function holds(operator: string, left: unknown, right: unknown): boolean {
  const result = findComparison(operator)!(left, right)
  return typeof result === 'boolean' ? result : atOnce(result)
}

test('finds a text by a search in linear time', () => {
  const text = 'ab'.repeat(300_000)
  for (const part of [text, `${'ab'.repeat(200_000)}a`, 'ba'.repeat(299_999), 'a'.repeat(100), `b${text}`])
    assert.equal(holds('contains', text, part), text.includes(part), `${part.length}`)
  assert.equal(holds('not_contains', `${'a'.repeat(500_000)}b`, `${'a'.repeat(250_000)}b`), false)
  // Comparing every position with the whole part would take hours.
  assert.equal(holds('contains', 'a'.repeat(4e6), `b${'a'.repeat(2e6)}`), false)
})

test('does not compare lists and objects that are too large', () => {
  for (const value of [Array.from({ length: 60_000 }, () => 0), { text: 'x'.repeat(4e6) }])
    assert.throws(() => refuseLarge(value), { name: 'StepFailure', message: /too large to compare/ })
  refuseLarge('x'.repeat(4e6))
  refuseLarge(Array.from({ length: 40_000 }, () => 0))
  assert.throws(() => holds('in', 'x', 'a,'.repeat(30_000)), { message: /at most 20000 elements/ })
})

test('a value is normalized once, however long the list is', () => {
  const texts = Array.from({ length: 100 }, (_, n) => `{"a":${n + 2}}`)
  for (const compare of [
    (value: unknown) => holds('contains', [...texts, ...texts.map(text => JSON.parse(text))], value),
    (value: unknown) => holds('in', value, [...texts, 'x', 7, null]),
  ]) {
    const { value, count } = counted()
    assert.equal(compare(value), false)
    assert.equal(count(), 1)
  }
  const { value } = counted()
  assert.equal(holds('in', value, [...texts, '{"a": 1}']), true)
})

test('a text that is nested too deeply equals nothing but itself', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const equals = findComparison('equals')!
  assert.equal(equals(deep, [[]]), false)
  assert.equal(equals(deep, ` ${deep}`), true)
  assert.equal(holds('in', [[]], deep), false)
})

test('every comparison may pause, also one that decides', () => {
  const sides = { left: () => 'a', right: () => 'b' }
  for (const [match, op] of [
    ['all', 'equals'],
    ['any', 'not_equals'],
  ]) {
    const comparing = matches({ match }, [{ op }], sides)
    assert.deepEqual(comparing.next(), { done: false, value: undefined }, match)
    assert.equal(comparing.next().done, true, match)
  }
})
