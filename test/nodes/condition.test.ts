import assert from 'node:assert/strict'
import test from 'node:test'
import { condition } from '../../src/nodes/condition.ts'
import { fakeStep } from '../support/fake-step.ts'
import { runKind } from '../support/run-kind.ts'

// Own process: it sets the time zone.
// Times without an offset must not depend on the time zone of the server.
process.env['TZ'] = 'Asia/Shanghai'

const values = {
  'a.text': 'A banyan tree\n',
  'a.list': ['red', 7, { x: 1 }],
  'a.none': [],
  'a.object': { red: 1 },
  'a.bare': {},
  'a.number': 10,
  'a.yes': true,
  'a.null': null,
  'a.injection': '{{#a.text#}}',
}

/** Whether a single comparison leads to its case. */
async function holds(left: unknown, op: string, right?: unknown): Promise<boolean> {
  const clause = { left, op, ...(right !== undefined && { right }) }
  const data = { cases: [{ id: 'yes', when: [clause] }, { id: 'no' }] }
  assert.deepEqual(condition.gaps!(data), [])
  const outcome = await runKind(condition, fakeStep({ values }), data)
  assert.ok('outputs' in outcome)
  assert.equal(outcome.outputs['case'], outcome.case)
  return outcome.case === 'yes'
}

type Line = [left: unknown, op: string, right: unknown, holds: boolean]

const lines: Line[] = [
  ['{{#a.text#}}', 'equals', 'A banyan tree', true],
  ['{{#a.text#}}', 'equals', 'a banyan tree', false],
  ['{{#a.number#}}', 'equals', '10.0', true],
  ['{{#a.number#}}', 'equals', 10, true],
  ['007', 'equals', '7', false],
  ['[687865202956247041]', 'contains', '687865202956247041', true],
  ['687865202956247041', 'in', '[687865202956247042]', false],
  ['687865202956247041', 'in', '[687865202956247041]', true],
  ['007', 'equals', 7, true],
  ['{{#a.yes#}}', 'equals', 'true', true],
  ['{{#a.yes#}}', 'equals', true, true],
  ['{{#a.list#}}', 'equals', '["red", 7, {"x": 1}]', true],
  ['{{#a.list#}}', 'equals', ['red', 7], false],
  ['{{#skipped.text#}}', 'equals', '', true],
  ['{{#a.injection#}}', 'equals', '{{#a.text#}}', false],
  ['{{#a.text#}}', 'not_equals', 'x', true],
  ['{{#a.number#}}', 'not_equals', '10', false],
  ['{{#a.text#}}', 'contains', 'banyan', true],
  ['{{#a.text#}}', 'contains', 'oak', false],
  ['{{#a.text#}}', 'contains', '{{#skipped.text#}}', false],
  ['{{#a.list#}}', 'contains', 'red', true],
  ['{{#a.list#}}', 'contains', 're', false],
  ['{{#a.list#}}', 'contains', '7', true],
  ['{{#a.list#}}', 'contains', { x: 1 }, true],
  ['as text {{#a.list#}}', 'contains', 're', true],
  ['{{#a.object#}}', 'contains', 'red', true],
  ['{{#a.object#}}', 'contains', 'toString', false],
  ['{{#a.text#}}', 'not_contains', 'oak', true],
  ['{{#a.list#}}', 'not_contains', 'red', false],
  ['{{#a.text#}}', 'starts_with', 'A b', true],
  ['{{#a.text#}}', 'starts_with', 'banyan', false],
  ['{{#a.text#}}', 'starts_with', '{{#skipped.text#}}', false],
  ['report.pdf', 'ends_with', '.pdf', true],
  ['report.pdf', 'ends_with', 'report', false],
  ['{{#a.number#}}', 'gt', '9', true],
  ['10', 'gt', '9', true],
  ['{{#a.number#}}', 'gt', 10, false],
  ['{{#a.number#}}', 'gte', 10, true],
  ['-1e3', 'lt', '.5', true],
  ['{{#a.number#}}', 'lt', 10, false],
  ['{{#a.number#}}', 'lte', 10, true],
  ['2026-02-03', 'gt', '2025-12-31', true],
  ['2026-02-03T10:00:00+02:00', 'lt', '2026-02-03T09:00:00Z', true],
  ['2026-02-03 10:00', 'gte', '2026-02-03', true],
  ['2026-02-03T03:00:00', 'gt', '2026-02-03T02:00:00Z', true],
  ['2026-02-30', 'gt', '2020-01-01', false],
  ['b', 'gt', 'a', false],
  ['a', 'lte', 'a', false],
  ['', 'lt', '5', false],
  ['{{#a.null#}}', 'lt', 5, false],
  ['2026-01-01', 'gt', 5, false],
  ['red', 'in', 'blue, red，green', true],
  ['re', 'in', 'blue,red', false],
  ['', 'in', 'a,,b', false],
  ['{{#a.number#}}', 'in', '9,10', true],
  ['red', 'in', '{{#a.list#}}', true],
  ['red', 'in', '["red"]', true],
  ['red', 'in', ['{{#a.list.0#}}'], true],
  ['blue', 'in', '{{#a.list#}}', false],
  ['blue', 'not_in', '{{#a.list#}}', true],
  ['red', 'not_in', 'blue, red', false],
  ['{{#a.list#}}', 'all_in', ['red', '7', { x: 1 }, 'more'], true],
  ['{{#a.list#}}', 'all_in', 'red, 7', false],
  ['red, blue', 'all_in', 'blue, red, green', true],
  ['{{#a.none#}}', 'all_in', 'red', false],
  ['{{#a.list#}}', 'none_in', 'blue, green', true],
  ['{{#a.list#}}', 'none_in', 'blue, red', false],
  ['{{#a.none#}}', 'none_in', 'red', true],
]

test('every operator compares as documented', async () => {
  for (const [left, op, right, expected] of lines)
    assert.equal(await holds(left, op, right), expected, JSON.stringify([left, op, right]))
})

test('texts, lists and objects can be empty; zero and false are not', async () => {
  for (const left of [
    '',
    ' \n',
    '{{#skipped.x#}}',
    '{{#a.none#}}',
    '{{#a.bare#}}',
    '{{#a.null#}}',
    null,
    [],
  ]) {
    assert.equal(await holds(left, 'empty'), true, JSON.stringify(left))
    assert.equal(await holds(left, 'not_empty'), false, JSON.stringify(left))
  }
  for (const left of ['x', '{{#a.list#}}', '{{#a.object#}}', 0, false])
    assert.equal(await holds(left, 'empty'), false, JSON.stringify(left))
})

test('skipped and null values do not exist; empty values do', async () => {
  for (const left of ['{{#skipped.x#}}', '{{#a.object.blue#}}', '{{#a.null#}}', null]) {
    assert.equal(await holds(left, 'exists'), false, JSON.stringify(left))
    assert.equal(await holds(left, 'not_exists'), true, JSON.stringify(left))
  }
  for (const left of ['', '{{#a.none#}}', '{{#a.bare#}}', 0, false])
    assert.equal(await holds(left, 'exists'), true, JSON.stringify(left))
})

test('a field of a file, or of each file of a list, can be compared', async () => {
  const files = [
    { file_id: 'file_1', name: 'Plan.PDF', mime_type: 'application/pdf', size: 900 },
    { file_id: 'file_2', name: 'photo', mime_type: 'image/png', size: 20 },
  ]
  const compare = async (left: string, field: string, op: string, right?: unknown) => {
    const clause = { left, field, op, ...(right !== undefined && { right }) }
    const data = { cases: [{ id: 'yes', when: [clause] }, { id: 'no' }] }
    const step = fakeStep({ values: { 'in.files': files, 'in.file': files[0] } })
    const outcome = await runKind(condition, step, data)
    return 'outputs' in outcome && outcome.case === 'yes'
  }
  const lines: [string, string, string, unknown, boolean][] = [
    ['{{#in.file#}}', 'type', 'equals', 'document', true],
    ['{{#in.file#}}', 'extension', 'equals', '.pdf', true],
    ['{{#in.file#}}', 'size', 'gt', 500, true],
    ['{{#in.file#}}', 'url', 'exists', undefined, false],
    ['{{#in.files#}}', 'type', 'contains', 'image', true],
    ['{{#in.files#}}', 'type', 'contains', 'video', false],
    ['{{#in.files#}}', 'type', 'all_in', 'image, document', true],
    ['{{#in.files#}}', 'type', 'all_in', 'image', false],
    ['{{#in.files#}}', 'type', 'none_in', 'audio,video', true],
    ['{{#in.files#}}', 'name', 'not_contains', 'photo', false],
    ['{{#in.files.1#}}', 'extension', 'exists', undefined, false],
    ['{{#skipped.files#}}', 'type', 'empty', undefined, true],
  ]
  for (const [left, field, op, right, expected] of lines)
    assert.equal(await compare(left, field, op, right), expected, JSON.stringify([left, field, op, right]))
})

const chosen = async (data: Record<string, unknown>) => {
  const outcome = await runKind(condition, fakeStep({ values }), data)
  return 'outputs' in outcome ? outcome.case : assert.fail('it waits')
}
const right = { left: '1', op: 'equals', right: '1' }
const wrong = { left: '1', op: 'equals', right: '2' }

test('of several cases the first that matches is chosen', async () => {
  const cases = [
    { id: 'none', when: [wrong] },
    { id: 'first', when: [right] },
    { id: 'second', when: [right] },
    { id: 'else' },
  ]
  assert.equal(await chosen({ cases }), 'first')
})

test('all comparisons of a case must hold, or any of them with match any', async () => {
  assert.equal(await chosen({ cases: [{ id: 'a', when: [right, wrong] }, { id: 'else' }] }), 'else')
  assert.equal(
    await chosen({ cases: [{ id: 'a', match: 'all', when: [right, right] }, { id: 'else' }] }),
    'a',
  )
  assert.equal(
    await chosen({ cases: [{ id: 'a', match: 'any', when: [wrong, right] }, { id: 'else' }] }),
    'a',
  )
  assert.equal(
    await chosen({
      cases: [
        { id: 'a', match: 'any', when: [wrong] },
        { id: 'else', when: [] },
      ],
    }),
    'else',
  )
})

test('without a matching case and without an else no case is chosen', async () =>
  assert.equal(await chosen({ cases: [{ id: 'a', when: [wrong] }] }), ''))

test('a case is certain to be chosen only with an else', () => {
  const sure = { cases: [{ id: 'a', when: [right] }, { id: 'b' }] }
  assert.deepEqual(condition.cases!(sure), ['a', 'b'])
  assert.equal(condition.mayChooseNone!(sure), false)
  const unsure = { cases: [{ id: 'a', when: [right] }] }
  assert.deepEqual(condition.cases!(unsure), ['a'])
  assert.equal(condition.mayChooseNone!(unsure), true)
  assert.equal(condition.mayChooseNone!({}), true)
})

test('invalid conditions are gaps at their places', () => {
  const cases = [
    {
      id: 'a',
      when: [right, { op: 'is' }, { left: 'x', op: 'gt' }, { left: 'x' }, { left: 'x', op: 'empty' }],
    },
    { id: 'a', match: 'some', when: [right] },
    { id: ' ', when: [right] },
    { id: 'early' },
    { id: 'else' },
  ]
  const gaps = condition.gaps!({ cases })
  assert.deepEqual(
    gaps.map(({ place }) => place.join('/')),
    [
      'cases/0/when/1/left',
      'cases/0/when/1/op',
      'cases/0/when/2/right',
      'cases/0/when/3/op',
      'cases/1/id',
      'cases/1/match',
      'cases/2/id',
      'cases/3/when',
    ],
  )
  assert.match(gaps[1]!.message, /"is".*equals.*not_empty/)
})
