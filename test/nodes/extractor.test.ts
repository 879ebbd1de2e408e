import assert from 'node:assert/strict'
import test from 'node:test'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { multimodalDialogueAndInformationExtractor as extractor } from '../../src/nodes/multimodal-dialogue-and-information-extractor.ts'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import type { JsonRecord } from '../../src/workflow/node-kind.ts'
import { type Outcome, type Outputs, StepFailure } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind, waitOf } from '../support/run-kind.ts'
import {
  lastWords,
  type ModelPlan,
  onlyModel,
  scriptedLanguageModel,
  systemOf,
} from '../support/scripted-language-model.ts'

const beverage = {
  name: 'beverage',
  type: 'select',
  description: '咖啡口味选择',
  options: { 美式: 'Americano', 意式: 'Espresso', 卡布奇诺: 'Cappuccino', 拿铁: 'Latte' },
}
const size = { name: 'size', type: 'select', description: '杯型', options: { 中杯: 'medium', 大杯: 'large' } }
const coffee = { parameters: [beverage, size], instruction: '帮助用户点一杯咖啡', role: '咖啡店店员' }

const values = (found: JsonRecord, reply = ''): ModelPlan => ({
  text: JSON.stringify({ values: found, reply }),
})

/** Says one line after the other and gives what comes of each. */
async function dialogue(
  lines: readonly string[],
  model = scriptedLanguageModel(),
  data: JsonRecord = coffee,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const { journal } = fakeStep()
  let state: unknown
  for (const [index, line] of lines.entries()) {
    const step =
      index === 0
        ? fakeStep({ journal, system: { query: line } })
        : fakeStep({ journal, system: { query: lines[0]! }, resumed: { state, reply: { text: line } } })
    const outcome = await runKind(extractor, step, data, onlyModel(model))
    outcomes.push(outcome)
    // What survives the waiting is JSON.
    state = 'wait' in outcome ? JSON.parse(JSON.stringify(outcome.wait.state)) : undefined
  }
  return outcomes
}

const questionOf = (outcome: Outcome | undefined): string => {
  assert.ok(outcome && 'wait' in outcome, 'it does not ask')
  return outcome.wait.question
}
const endOf = (outcomes: Outcome[]): Outputs => {
  const last = outcomes.at(-1)!
  assert.ok('outputs' in last, `it still asks: ${JSON.stringify(last)}`)
  return last.outputs
}

test('a coffee is ordered over two turns', async () => {
  const model = scriptedLanguageModel()
  const outcomes = await dialogue(['我要拿铁（Latte）', '大杯（large）'], model)
  const [first] = outcomes
  assert.ok(first && 'wait' in first)
  assert.equal(first.wait.question, '请问您要哪种杯型（中杯、大杯）？')
  assert.deepEqual(first.wait.options, ['中杯', '大杯'])
  assert.deepEqual(endOf(outcomes), {
    beverage: 'Latte',
    size: 'large',
    result: { beverage: 'Latte', size: 'large' },
    text: 'beverage: Latte, size: large',
  })
  assert.equal(model.requests.length, 2)
})

test('a message with all values asks no question', async () => {
  const outputs = endOf(await dialogue(['一杯大杯美式']))
  assert.deepEqual(outputs['result'], { beverage: 'Americano', size: 'large' })
})

test('labels, values and paraphrases are mapped to the value', async () => {
  for (const said of ['拿铁', 'Latte', ' latte ', 'ＬＡＴＴＥ']) {
    const model = scriptedLanguageModel(() => values({ beverage: said, size: 'medium' }))
    assert.equal(endOf(await dialogue(['the milky one'], model))['beverage'], 'Latte', said)
  }
})

test('a label in the message counts when the model extracts nothing', async () => {
  const model = scriptedLanguageModel(() => values({ beverage: null, size: null }))
  assert.deepEqual(endOf(await dialogue(['卡布奇诺，中杯，谢谢'], model))['result'], {
    beverage: 'Cappuccino',
    size: 'medium',
  })
})

test('two labels in the message are ambiguous, and a negated one does not count', async () => {
  const model = scriptedLanguageModel(() => values({ beverage: null, size: null }))
  for (const words of ['拿铁还是美式', '不要拿铁', 'not a latte']) {
    const [outcome] = await dialogue([words], model)
    assert.match(questionOf(outcome), /咖啡口味选择/, words)
  }
})

test('a value stays until the user gives another one', async () => {
  const script = [values({ beverage: 'Latte', size: null }), values({ beverage: 'Americano', size: 'large' })]
  const changed = await dialogue(
    ['拿铁', '还是换成那个黑的，大的'],
    scriptedLanguageModel((_, count) => script[count - 1]),
  )
  assert.deepEqual(endOf(changed)['result'], { beverage: 'Americano', size: 'large' })

  const silent = [values({ beverage: 'Latte', size: null }), values({ beverage: null, size: 'large' })]
  const kept = await dialogue(
    ['拿铁', '大的'],
    scriptedLanguageModel((_, count) => silent[count - 1]),
  )
  assert.deepEqual(endOf(kept)['result'], { beverage: 'Latte', size: 'large' })
})

test('a value outside the options is never accepted', async () => {
  const model = scriptedLanguageModel(() => values({ beverage: 'Mocha', size: 'venti' }, '马上就好'))
  const [outcome] = await dialogue(['摩卡，超大'], model)
  assert.equal(
    questionOf(outcome),
    '请问您要哪种咖啡口味选择（美式、意式、卡布奇诺、拿铁）？',
    'a reply that asks nothing must not be the question',
  )
})

test("the model's own question is asked; an echo of the user is not", async () => {
  const asks = scriptedLanguageModel(() => values({ beverage: 'Latte', size: null }, '好的，要多大的杯子？'))
  assert.equal(questionOf((await dialogue(['拿铁'], asks))[0]), '好的，要多大的杯子？')
  const echoes = scriptedLanguageModel(() => values({ beverage: 'Latte', size: null }, '能给我拿铁吗？'))
  assert.match(questionOf((await dialogue(['能给我拿铁吗？'], echoes))[0]), /杯型/)
})

test('questions are in English if no text is Chinese', async () => {
  const data = {
    parameters: [
      { name: 'size', type: 'select', description: 'cup size', options: { Small: 's', Big: 'b' } },
    ],
    instruction: 'Take an order',
  }
  const [outcome] = await dialogue(['a coffee'], scriptedLanguageModel(), data)
  assert.equal(questionOf(outcome), 'Which cup size would you like? (Small, Big)')
})

test('an article of a description is not repeated in a question', async () => {
  for (const [type, question] of [
    ['select', 'Which drink would you like? (Tea)'],
    ['array', 'Which drink would you like? (one or more of Tea)'],
    ['string', 'What is the drink?'],
  ] as const) {
    const options = type === 'string' ? {} : { options: { Tea: 't' } }
    const data = { parameters: [{ name: 'x', type, description: 'the drink', ...options }], instruction: '' }
    const finds = scriptedLanguageModel(() => values({ x: null }))
    const [outcome] = await dialogue(['Hello'], finds, data)
    assert.equal(questionOf(outcome), question)
  }
})

test('the user never sees JSON that could not be read', async () => {
  for (const text of [
    '{"values": {"beverage": "Latte", "size": null}, "reply": "好的，要多大的杯',
    "{'values': {'beverage': 'Latte'}, 'reply': '要多大的杯子？'}",
    '[{"values": {"beverage": null}, "reply": "要哪种咖啡？"}]',
    '```json\n{ "values": {}, "reply": "要哪种',
  ]) {
    const [outcome] = await dialogue(
      ['您好'],
      scriptedLanguageModel(() => ({ text })),
    )
    assert.equal(questionOf(outcome), '请问您要哪种咖啡口味选择（美式、意式、卡布奇诺、拿铁）？', text)
  }
})

test('a description that is a question itself is asked as it is', async () => {
  for (const [parameter, question] of [
    [{ type: 'select', description: 'which drink', options: { Tea: 't' } }, 'Which drink? (Tea)'],
    [{ type: 'number', description: 'how many cups?' }, 'How many cups?'],
    [{ type: 'select', description: '要哪种饮品', options: { 茶: 't' } }, '请问要哪种饮品（茶）？'],
    [{ type: 'number', description: '几杯' }, '请问几杯？'],
  ] as const) {
    const data = { parameters: [{ name: 'x', ...parameter }], instruction: '' }
    const [outcome] = await dialogue(['...'], scriptedLanguageModel(), data)
    assert.equal(questionOf(outcome), question)
  }
})

test('the last message holds only the text of the user', async () => {
  const model = scriptedLanguageModel()
  await dialogue(['我要拿铁', '大杯'], model)
  const [first, second] = model.requests
  assert.equal(lastWords(first!), '我要拿铁')
  assert.equal(lastWords(second!), '大杯')
  assert.match(
    systemOf(second!),
    /咖啡店店员[\s\S]*帮助用户点一杯咖啡[\s\S]*"beverage":"Latte"[\s\S]*missing: "size"/,
  )
  assert.deepEqual(
    second!.messages.map(message => message.role),
    ['system', 'user', 'assistant', 'user'],
  )
})

test('a run without a message starts with the question and calls no model', async () => {
  const model = scriptedLanguageModel()
  const outcomes = await dialogue(['', '大杯拿铁'], model)
  assert.match(questionOf(outcomes[0]), /咖啡口味选择/)
  assert.equal(endOf(outcomes)['text'], 'beverage: Latte, size: large')
  assert.equal(model.requests.length, 1)
})

test('fails after max_turns and lists the missing parameters', async () => {
  const data = { ...coffee, max_turns: 3 }
  await assert.rejects(dialogue(['拿铁', '嗯', ''], scriptedLanguageModel(), data), (error: unknown) => {
    assert.ok(error instanceof StepFailure)
    assert.equal(error.reason, 'step_failed')
    assert.match(error.message, /3 turns.*"size".*max_turns/)
    return !error.retryable
  })
  const ten = Array.from({ length: 10 }, () => '嗯')
  await assert.rejects(dialogue(ten), /10 turns/)
  assert.equal((await dialogue(ten.slice(1))).length, 9)
})

test('an attempt after a crash does not pay for the turn again', async () => {
  const model = scriptedLanguageModel()
  const first = fakeStep({ system: { query: '拿铁' } })
  const before = await waitOf(extractor, first, coffee, onlyModel(model))
  const again = fakeStep({ system: { query: '拿铁' }, journal: first.journal, attempt: 2 })
  assert.deepEqual(await waitOf(extractor, again, coffee, onlyModel(model)), before)
  assert.equal(model.requests.length, 1)
  assert.deepEqual(first.spent, [{ promptTokens: 10, completionTokens: 5, model: 'scripted' }])
  assert.deepEqual(again.spent, [])
})

test('a failed model call is a retryable failure of the step', async () => {
  const error = new ModelFailure('busy', { retryable: true, retryAfterMilliseconds: 50 })
  const model = scriptedLanguageModel(() => ({ error }))
  await assert.rejects(dialogue(['拿铁'], model), (failure: unknown) => {
    assert.ok(failure instanceof StepFailure)
    return failure.retryable && failure.retryAfterMilliseconds === 50 && failure.reason === 'model_failed'
  })
})

test('images and files of the turn reach the model', async () => {
  const model = scriptedLanguageModel()
  const files = ['a.png', 'order.txt'].map(name => ({ file_id: name, name, mime_type: '', size: 1 }))
  const readFile: NodeServices['readFile'] = async (_, id) =>
    id === 'a.png'
      ? { type: 'image', name: id, mimeType: 'image/png', bytes: new Uint8Array([1]) }
      : { type: 'text', name: id, text: 'a large Latte' }
  const services = { ...onlyModel(model), readFile }
  const outputs = await outputsOf(extractor, fakeStep({ system: { files } }), coffee, services)
  assert.deepEqual(outputs['result'], { beverage: 'Latte', size: 'large' })
  const last = model.requests[0]!.messages.at(-1)!
  assert.ok(last.role === 'user')
  assert.deepEqual(
    last.parts.map(part => part.type),
    ['text', 'image'],
  )
})

test('an action is read like a text', async () => {
  const asked = await waitOf(extractor, fakeStep(), coffee)
  const resumed = { state: asked.state, reply: { action: '{"order": "大杯拿铁"}' } }
  const outputs = await outputsOf(
    extractor,
    fakeStep({ resumed }),
    coffee,
    onlyModel(scriptedLanguageModel()),
  )
  assert.deepEqual(outputs['result'], { beverage: 'Latte', size: 'large' })
})

test('optional parameters and those with a default are not asked for', async () => {
  const parameters = [
    beverage,
    { ...size, default: '中杯' },
    { name: 'note', type: 'string', description: '备注', required: false },
  ]
  const model = scriptedLanguageModel(() => values({ beverage: 'Latte', size: null, note: null }))
  const outputs = endOf(await dialogue(['拿铁'], model, { parameters }))
  assert.deepEqual(outputs['result'], { beverage: 'Latte', size: 'medium', note: null })
  assert.equal(outputs['note'], '')
  assert.equal(outputs['text'], 'beverage: Latte, size: medium')
})

test('a list can be declared with the type of its items', async () => {
  for (const type of ['array', 'array of select', 'array[string]']) {
    const parameters = [{ ...beverage, type }]
    assert.deepEqual(extractor.gaps!({ parameters }), [], type)
    const model = scriptedLanguageModel(() => values({ beverage: ['Latte', 'Americano'] }))
    const outputs = endOf(await dialogue(['两种都要'], model, { parameters }))
    assert.deepEqual(outputs['beverage'], ['Americano', 'Latte'], type)
  }
})

test('invalid parameters are gaps', () => {
  const gaps = (data: JsonRecord): string[] => extractor.gaps!(data).map(({ place }) => place.join('/'))
  assert.deepEqual(gaps(coffee), [])
  const parameters = [
    { type: 'string' },
    { name: 'a', type: 'select', options: {} },
    { name: 'a', type: 'multi_select' },
    { ...size, default: 'huge' },
  ]
  assert.deepEqual(gaps({ parameters, max_turns: 0 }), [
    'parameters/0/name',
    'parameters/1/options',
    'parameters/2/name',
    'parameters/2/options',
    'parameters/3/default',
    'max_turns',
  ])
  const unknown = extractor.gaps!({ parameters: [{ name: 'a', type: 'phone' }] })
  assert.deepEqual(
    unknown.map(({ place, rule }) => [place.join('/'), rule]),
    [['parameters/0/type', 'setting_out_of_range']],
  )
  assert.match(unknown[0]!.message, /"phone", which counts as "string"; use one of select/)
})
