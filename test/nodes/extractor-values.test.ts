import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { mapValue, type Parameter, type Value } from '../../src/nodes/extractor/parameters.ts'
import { type TurnInput, takeValues } from '../../src/nodes/extractor/take-values.ts'
import { mentionedOptions, type Option } from '../../src/nodes/mentions.ts'
import { multimodalDialogueAndInformationExtractor as extractor } from '../../src/nodes/multimodal-dialogue-and-information-extractor.ts'
import { fakeStep } from '../support/fake-step.ts'
import { runKind } from '../support/run-kind.ts'
import { onlyModel, scriptedLanguageModel } from '../support/scripted-language-model.ts'

const parameter = (type: Parameter['type'], options: readonly Option[] = [], name = 'p'): Parameter => ({
  name,
  type,
  description: '',
  options,
  required: true,
})
const sizes = [
  { label: '大杯', value: 'large' },
  { label: '超大杯', value: 'venti' },
]

const mapped = (type: Parameter['type'], raw: unknown, options: readonly Option[] = []): unknown =>
  mapValue(parameter(type, options), raw)

const said = (
  one: Parameter,
  message: string,
  given: unknown = null,
  more: Partial<TurnInput> = {},
): unknown =>
  takeValues([one], new Map(), { message, extracted: { [one.name]: given }, asked: undefined, ...more }).get(
    one.name,
  )

test('a number is accepted, also as a text', () => {
  assert.equal(mapped('number', 3), 3)
  assert.equal(mapped('number', ' -2.5 '), -2.5)
  for (const raw of ['three', '', '1e999', null, Number.NaN, [1], {}])
    assert.equal(mapped('number', raw), undefined)
})

test('a number that would lose digits, such as that of an order, stays a text', () => {
  assert.equal(mapped('number', ' 687865202956247041 '), '687865202956247041')
  assert.equal(mapped('number', '9007199254740991'), 9007199254740991)
  const order = parameter('number')
  assert.equal(said(order, '687865202956247041', null, { asked: 'p' }), '687865202956247041')
})

test('yes and no are booleans in both languages', () => {
  for (const raw of [true, 'yes', 'TRUE', '是', '是的']) assert.equal(mapped('boolean', raw), true)
  for (const raw of [false, 'no', 'false', '否', '不要']) assert.equal(mapped('boolean', raw), false)
  for (const raw of ['maybe', 1, null]) assert.equal(mapped('boolean', raw), undefined)
})

test('a date must be a valid calendar day', () => {
  assert.equal(mapped('date', '2028-02-29'), '2028-02-29')
  assert.equal(mapped('date', '2026-11-15T08:00:00Z'), '2026-11-15')
  for (const raw of ['2026-02-29', '2026-13-01', 'tomorrow', '15.11.2026', 20261115])
    assert.equal(mapped('date', raw), undefined, String(raw))
})

test('a list has values of the options only, each once, in their order', () => {
  assert.deepEqual(mapped('list', ['venti', '大杯', 'LARGE', 'tiny'], sizes), ['large', 'venti'])
  assert.deepEqual(mapped('list', '超大杯', sizes), ['venti'])
  assert.equal(mapped('list', [], sizes), undefined)
  assert.deepEqual(mapped('list', ['milk', ' milk', 'sugar']), ['milk', 'sugar'])
})

test('a label that is the value of another option does not hide that value', () => {
  const options = [
    { label: 'A', value: 'B' },
    { label: 'B', value: 'C' },
  ]
  assert.equal(mapped('select', 'A', options), 'B')
  assert.equal(mapped('select', 'C', options), 'C')
  assert.equal(mapped('select', ' b', options), undefined, 'it could be either')
})

test('a name inside a longer name or word is not a mention', () => {
  assert.deepEqual(mentionedOptions('要超大杯', sizes), ['venti'])
  assert.deepEqual(mentionedOptions('大杯，不，超大杯', sizes).sort(), ['large', 'venti'])
  const drinks = [
    { label: 'Latte', value: '1' },
    { label: 'tea', value: '2' },
  ]
  assert.deepEqual(mentionedOptions('A PLATTER for the team', drinks), [])
  assert.deepEqual(mentionedOptions('我要latte，谢谢', drinks), ['1'])
  assert.deepEqual(mentionedOptions("I don't want tea, a latte please", drinks), ['1'])
})

test('what a user says about an option is no choice of it if the model extracted nothing', () => {
  const drink = parameter('select', [
    { label: 'Green tea', value: 'green' },
    { label: '绿茶', value: 'g2' },
  ])
  for (const message of [
    'I do not like green tea',
    'I don’t really like Green tea',
    'I hate Green tea',
    'anything but green tea',
    'is the green tea good?',
    'Which is cheaper than Green tea?',
    '除了绿茶都可以',
    '我不太喜欢绿茶',
    '绿茶好喝吗',
  ]) {
    assert.equal(said(drink, message), undefined, message)
    assert.equal(said(drink, message, 'green'), 'green', 'the model decides')
  }
  for (const [message, value] of [
    ['Green tea, please', 'green'],
    ['No sugar. I take the green tea!', 'green'],
    ['Can I have green tea?', 'green'],
    ['不加糖，要绿茶', 'g2'],
    ['来一杯绿茶可以吗？', 'g2'],
  ] as const)
    assert.equal(said(drink, message), value, message)
})

test('a value that the message only mentions does not replace a known one', () => {
  const drink = parameter('select', [{ label: 'Green tea', value: 'green' }])
  const known = new Map([['p', 'black']])
  const turn = { message: 'two cups, is it like green tea', extracted: { p: null }, asked: 'cups' }
  assert.equal(takeValues([drink], known, turn).get('p'), 'black')
  assert.equal(takeValues([drink], known, { ...turn, message: 'green tea', asked: 'p' }).get('p'), 'green')
})

test('dates and plain answers in the message count when the model extracts nothing', () => {
  assert.equal(said(parameter('date'), '2026年3月5日去'), '2026-03-05')
  assert.equal(said(parameter('date'), 'from 2026-03-05 to 2026-03-09'), undefined)
  assert.equal(said(parameter('number'), '12', null, { asked: 'p' }), 12)
  assert.equal(said(parameter('number'), '12'), undefined, 'it was not asked for')
  assert.equal(said(parameter('boolean'), '是的', null, { asked: 'p' }), true)
})

test('an echo of the whole message is a free text only if that was asked for', () => {
  assert.equal(said(parameter('text'), 'a large one', 'a large one'), undefined)
  assert.equal(said(parameter('text'), 'Ada', 'Ada', { asked: 'p' }), 'Ada')
  assert.equal(said(parameter('text'), 'I am Ada', 'Ada'), 'Ada')
})

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }),
  fc.constantFrom('__proto__', 'constructor', '大杯'),
)
const options = fc.dictionary(name, fc.string({ maxLength: 6 }), { minKeys: 1, maxKeys: 5 })
const definition = fc.record({
  name,
  type: fc.constantFrom('select', 'array', 'multi_select', 'string', 'number'),
  description: fc.string({ maxLength: 8 }),
  options,
})

test('no output is ever outside the options, whatever the model and the user send', async () => {
  const property = fc.asyncProperty(
    fc.array(definition, { minLength: 1, maxLength: 3 }),
    fc.oneof(
      fc.json(),
      fc.string(),
      fc.dictionary(name, fc.jsonValue()).map(values => ({ values, reply: 'ok?' })),
    ),
    fc.oneof(fc.string(), name),
    async (parameters, answer, words) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
      const model = scriptedLanguageModel(() => ({ text }))
      const outcome = await runKind(
        extractor,
        fakeStep({ system: { query: words } }),
        { parameters },
        onlyModel(model),
      )
      const found = (
        'outputs' in outcome ? outcome.outputs['result'] : (outcome.wait.state as { values: unknown }).values
      ) as Record<string, Value>
      for (const key of Object.keys(found)) {
        const allowed = Object.values(parameters.find(each => each.name === key)!.options)
        for (const value of [found[key]].flat())
          assert.ok(allowed.includes(value as string), `${key}: ${value}`)
      }
    },
  )
  await fc.assert(property, { numRuns: 300 })
})
