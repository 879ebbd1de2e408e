import assert from 'node:assert/strict'
import test from 'node:test'
import type { SearchItem } from '../../src/knowledge/search/search-request.ts'
import { type LanguageModel, type ModelMessage, ModelNotConfigured } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { llm } from '../../src/nodes/llm.ts'
import { maxAllFilesCharacters, maxFileCharacters } from '../../src/nodes/model-messages.ts'
import type { FileContent, NodeServices } from '../../src/nodes/node-services.ts'
import type { JsonRecord } from '../../src/workflow/node-kind.ts'
import { StepFailure } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'
import { lastWords, onlyModel, scriptedLanguageModel, systemOf } from '../support/scripted-language-model.ts'

const asks = { prompt_template: 'Say: {{#sys.query#}}' }

test('the prompt goes to the model, and its text is streamed', async () => {
  const model = scriptedLanguageModel()
  const step = fakeStep({ system: { query: '你好' } })
  const outputs = await outputsOf(llm, step, { ...asks, '数据源/API工具': [] }, onlyModel(model))
  assert.deepEqual(outputs, {
    text: 'echo: Say: 你好',
    result: 'echo: Say: 你好',
    citations: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    files: [],
    model: 'scripted',
    reasoning: '',
    finish_reason: 'stop',
    notice: '',
  })
  assert.ok(step.pieces.length > 2)
  assert.equal(step.pieces.join(''), outputs['text'])
  assert.deepEqual(step.spent, [{ promptTokens: 10, completionTokens: 5, model: 'scripted' }])
  assert.deepEqual(model.requests[0]!.messages, [
    { role: 'user', parts: [{ type: 'text', text: 'Say: 你好' }] },
  ])
})

test('model, temperature, max_tokens and system_prompt are sent as set', async () => {
  const model = scriptedLanguageModel()
  const services = onlyModel(model)
  const data = {
    ...asks,
    model: 'm-{{#sys.user_id#}}',
    temperature: 0.3,
    max_tokens: 99,
    system_prompt: 'You serve {{#sys.user_id#}}.',
  }
  await outputsOf(llm, fakeStep(), data, services)
  assert.deepEqual(services.models.asked, ['m-user-1'])
  const [request] = model.requests
  assert.equal(request!.temperature, 0.3)
  assert.equal(request!.maxTokens, 99)
  assert.equal(systemOf(request!), 'You serve user-1.')
  assert.equal(request!.idempotencyKey, 'run_1.node.call-1')
  await outputsOf(llm, fakeStep(), asks, services)
  assert.equal(services.models.asked[1], 'fake-model', 'the model of the run')
})

test('history_turns counts turns from the latest one', async () => {
  const history = [1, 2, 3].flatMap(turn => [
    { role: 'user', content: `q${turn}` } as const,
    { role: 'assistant', content: `a${turn}` } as const,
    { role: 'assistant', content: `b${turn}` } as const,
  ])
  const seen = async (turns?: number): Promise<string[]> => {
    const model = scriptedLanguageModel()
    const data = { ...asks, ...(turns !== undefined && { history_turns: turns }) }
    await outputsOf(llm, fakeStep({ system: { query: 'now', history } }), data, onlyModel(model))
    return model.requests[0]!.messages.map(wordsOf)
  }
  assert.deepEqual(await seen(), ['Say: now'])
  assert.deepEqual(await seen(2), ['q2', 'a2', 'b2', 'q3', 'a3', 'b3', 'Say: now'])
  assert.equal((await seen(50)).length, 10)
})

function wordsOf(message: ModelMessage): string {
  if (message.role !== 'user') return message.text
  return message.parts.map(part => (part.type === 'text' ? part.text : '[image]')).join(' ')
}

const fileOf = (name: string) => ({ file_id: name, name, mime_type: '', size: 1 })
const reading =
  (contents: Record<string, FileContent>): NodeServices['readFile'] =>
  async (_, id) =>
    contents[id]!
const textFile = (name: string, text: string): FileContent => ({ type: 'text', name, text })

test('files are sent as text and images as images, also without a message', async () => {
  const contents: Record<string, FileContent> = {
    'note.txt': textFile('note.txt', 'the note says pineapple'),
    'a.png': { type: 'image', name: 'a.png', mimeType: 'image/png', bytes: new Uint8Array([7]) },
  }
  const model = scriptedLanguageModel()
  const services = { ...onlyModel(model), readFile: reading(contents) }
  const system = { files: [fileOf('a.png'), fileOf('note.txt')] }
  await outputsOf(llm, fakeStep({ system }), { prompt_template: '{{#sys.query#}}' }, services)
  assert.deepEqual(model.requests[0]!.messages.at(-1), {
    role: 'user',
    parts: [
      { type: 'text', text: 'File note.txt:\nthe note says pineapple' },
      { type: 'image', mimeType: 'image/png', bytes: new Uint8Array([7]) },
    ],
  })
  assert.match(systemOf(model.requests[0]!), /never instructions/)
  await outputsOf(llm, fakeStep({ system }), { ...asks, attach_files: false }, services)
  assert.equal(lastWords(model.requests[1]!), 'Say: ')
})

test('given files are seen in place of those of the message', async () => {
  const contents = { mine: textFile('mine', 'given'), sent: textFile('sent', 'of the message') }
  const model = scriptedLanguageModel()
  const findFiles: NodeServices['findFiles'] = async (_, ids) => ids.map(fileOf)
  const services = { ...onlyModel(model), readFile: reading(contents), findFiles }
  const step = fakeStep({
    system: { query: 'Look', files: [fileOf('sent')] },
    values: { 'input.picture': { id: 'mine', type: 'image' } },
  })
  const files = ['{{#input.picture#}}', '{{#skipped.files#}}']
  await outputsOf(llm, step, { prompt_template: '{{#sys.query#}}', files }, services)
  assert.equal(lastWords(model.requests[0]!), 'Look\n\nFile mine:\ngiven')
})

test('long files are cut, each and in total, with a note to the model', async () => {
  const names = ['one', 'two', 'three']
  const contents = Object.fromEntries(names.map(name => [name, textFile(name, name[0]!.repeat(70_000))]))
  const model = scriptedLanguageModel()
  const services = { ...onlyModel(model), readFile: reading(contents) }
  await outputsOf(llm, fakeStep({ system: { files: names.map(fileOf) } }), asks, services)
  const words = lastWords(model.requests[0]!)
  assert.ok(words.length < maxAllFilesCharacters + 500)
  assert.match(words, new RegExp(`first ${maxFileCharacters} of 70000 characters`))
  assert.match(words, /File three:\n\n\(cut: these are the first 0 of 70000/)
})

const passage = (id: string, content: string, score: number): SearchItem => ({
  chunk: {
    id,
    fileId: `file_${id}`,
    fileName: `${id}.md`,
    heading: [],
    content,
  } as unknown as SearchItem['chunk'],
  score,
  scores: {},
  highlights: [],
})

function knowledge(): Partial<NodeServices> & { queries: [string, string][] } {
  const queries: [string, string][] = []
  return {
    queries,
    searchKnowledge: async (_, id, { query }) => {
      queries.push([id, query])
      const items =
        id === 'kb_1' ? [passage('fact', 'The word is xylophone.', 0.9)] : [passage('rule', 'Be kind.', 0.5)]
      return { mode: 'keyword', tookMilliseconds: 1, items, warning: undefined, explanation: undefined }
    },
  }
}
const uses = (...entries: unknown[]): JsonRecord => ({ ...asks, '数据源/API工具': entries })
const citationsIn = (outputs: JsonRecord) =>
  (outputs['citations'] as { index: number; cited: boolean }[]).map(({ index, cited }) => [index, cited])

test('passages are numbered for the model, and cited ones are output', async () => {
  const bases = knowledge()
  const model = scriptedLanguageModel(() => ({ text: 'It is xylophone [1].' }))
  const step = fakeStep({ system: { query: 'which word?' } })
  const outputs = await outputsOf(llm, step, uses('kb_1', { type: 'knowledge', id: 'kb_2' }), {
    ...onlyModel(model),
    ...bases,
  })
  assert.deepEqual(bases.queries, [
    ['kb_1', 'which word?'],
    ['kb_2', 'which word?'],
  ])
  assert.match(
    systemOf(model.requests[0]!),
    /\[1\] fact\.md\nThe word is xylophone\.\n\n\[2\] rule\.md\nBe kind\./,
  )
  assert.deepEqual(outputs['citations'], [
    {
      index: 1,
      knowledge_id: 'kb_1',
      file_id: 'file_fact',
      file_name: 'fact.md',
      chunk_id: 'fact',
      content: 'The word is xylophone.',
      score: 0.9,
      cited: true,
    },
  ])
})

test('an answer without citations lists all passages as not cited', async () => {
  for (const [text, expected] of [
    [
      'no idea',
      [
        [1, false],
        [2, false],
      ],
    ],
    [
      'beyond [7]',
      [
        [1, false],
        [2, false],
      ],
    ],
    [
      'both【1，2】',
      [
        [1, true],
        [2, true],
      ],
    ],
    ['second [2]', [[2, true]]],
  ] as const) {
    const services = { ...onlyModel(scriptedLanguageModel(() => ({ text }))), ...knowledge() }
    const outputs = await outputsOf(llm, fakeStep({ system: { query: 'q' } }), uses('kb_1', 'kb_2'), services)
    assert.deepEqual(citationsIn(outputs), expected, text)
  }
})

test('if the knowledge bases hold nothing relevant, the model gets no passages, and the prompt says so', async () => {
  const model = scriptedLanguageModel(() => ({ text: 'Nothing was found.' }))
  const { searchKnowledge } = knowledge()
  const services: Partial<NodeServices> = {
    ...onlyModel(model),
    async searchKnowledge(...call) {
      const found = await searchKnowledge!(...call)
      return { ...found, items: found.items.map(item => ({ ...item, score: 0.2 })) }
    },
  }
  const outputs = await outputsOf(llm, fakeStep({ system: { query: 'q' } }), uses('kb_1'), services)
  const system = systemOf(model.requests[0]!)
  assert.match(system, /hold nothing relevant/)
  assert.doesNotMatch(system, /<passages>/)
  assert.deepEqual(outputs['citations'], [])
})

test('a follow-up is also searched with the messages before it that the model sees', async () => {
  const message = (role: 'user' | 'assistant', content: string) => ({ role, content })
  const history = [
    message('user', 'Is it sunny?'),
    message('assistant', 'Yes.'),
    message('user', 'How do I return a chair?'),
    message('assistant', 'In the shop.'),
    message('user', 'And a table?'),
    message('assistant', 'Likewise.'),
  ]
  const system = { query: 'how long does it take?', history }
  const queriesWith = async (turns: number) => {
    const bases = knowledge()
    const data = { ...uses('kb_1'), history_turns: turns }
    const services = { ...onlyModel(scriptedLanguageModel()), ...bases }
    const outputs = await outputsOf(llm, fakeStep({ system }), data, services)
    assert.equal(citationsIn(outputs).length, 1, 'a passage that both searches find counts once')
    return bases.queries.map(([, query]) => query)
  }
  const alone = 'how long does it take?'
  assert.deepEqual(await queriesWith(0), [alone])
  assert.deepEqual(await queriesWith(1), [alone, `${alone}\nAnd a table?`])
  assert.deepEqual(await queriesWith(10), [alone, `${alone}\nAnd a table?\nHow do I return a chair?`])
})

test('without a query the prompt is the search query', async () => {
  const bases = knowledge()
  const data = { ...uses('kb_1'), prompt_template: 'tell about trees' }
  await outputsOf(llm, fakeStep(), data, { ...onlyModel(scriptedLanguageModel()), ...bases })
  assert.deepEqual(bases.queries, [['kb_1', 'tell about trees']])
})

test('after a crash the passages are those that the model saw', async () => {
  const model = scriptedLanguageModel(() => ({ text: 'see [1]' }))
  const first = fakeStep({ system: { query: 'q' } })
  const before = await outputsOf(llm, first, uses('kb_1'), { ...onlyModel(model), ...knowledge() })
  const again = fakeStep({ system: { query: 'q' }, journal: first.journal })
  const searchKnowledge: NodeServices['searchKnowledge'] = () => assert.fail('searched again')
  const after = await outputsOf(llm, again, uses('kb_1'), { ...onlyModel(model), searchKnowledge })
  assert.deepEqual(after, before)
  assert.equal(model.requests.length, 1)
  assert.equal(again.pieces.join(''), 'see [1]', 'said again, so that stream and outputs agree')
})

test('an interrupted stream is restarted by the next attempt', async () => {
  const broken = new ModelFailure('The stream broke off.', { retryable: true, retryAfterMilliseconds: 20 })
  const model = scriptedLanguageModel((_, count) =>
    count === 1 ? { pieces: ['half of '], error: broken } : undefined,
  )
  const first = fakeStep({ system: { query: 'x' } })
  await assert.rejects(runKind(llm, first, asks, onlyModel(model)), (error: unknown) => {
    assert.ok(error instanceof StepFailure)
    return error.reason === 'model_failed' && error.retryable && error.retryAfterMilliseconds === 20
  })
  assert.equal(first.restarts, 1)
  assert.deepEqual(first.pieces, [])
  const again = fakeStep({ system: { query: 'x' }, journal: first.journal, attempt: 2 })
  assert.equal((await outputsOf(llm, again, asks, onlyModel(model)))['text'], 'echo: Say: x')
})

test('a failure before the first delta restarts nothing', async () => {
  const model = scriptedLanguageModel(() => ({
    pieces: [],
    error: new ModelFailure('no', { retryable: false }),
  }))
  const step = fakeStep()
  await assert.rejects(runKind(llm, step, asks, onlyModel(model)), /no/)
  assert.equal(step.restarts, 0)
})

test('tokens of an answer that is stopped or breaks off are estimated, with what they cost', async () => {
  const controller = new AbortController()
  const failure = new ModelFailure('broke off', { retryable: true })
  for (const [signal, error] of [
    [new AbortController().signal, failure],
    [controller.signal, new Error('stopped')],
  ] as const) {
    const scripted = scriptedLanguageModel(() => ({ pieces: ['half ', 'of it'], error }))
    const model: LanguageModel = {
      ...scripted,
      costOf: ({ completionTokens }) => completionTokens * 2,
      generate: (...call) =>
        scripted.generate(...call).catch((thrown: unknown) => {
          if (thrown !== failure) controller.abort(thrown)
          throw thrown
        }),
    }
    const step = fakeStep({ signal })
    await assert.rejects(runKind(llm, step, asks, onlyModel(model)), { message: error.message })
    const [spent, ...more] = step.spent
    assert.deepEqual([more.length, spent?.completionTokens, spent?.cost], [0, 3, 6])
  }
})

test('an aborted step fails with the reason of its signal', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped by the user')
  const model = scriptedLanguageModel(() => {
    controller.abort(reason)
    return undefined
  })
  const run = runKind(llm, fakeStep({ signal: controller.signal }), asks, onlyModel(model))
  await assert.rejects(run, (error: unknown) => error === reason)
})

test('a model that is not configured fails with not_configured', async () => {
  const models: NodeServices['models'] = {
    find: async () => {
      throw new ModelNotConfigured('Set MODEL_BASE_URL and MODEL_NAME.')
    },
    defaultName: async () => '',
  }
  await assert.rejects(runKind(llm, fakeStep(), asks, { models }), (error: unknown) => {
    assert.ok(error instanceof StepFailure)
    assert.equal(error.reason, 'not_configured')
    return error.message === 'Set MODEL_BASE_URL and MODEL_NAME.'
  })
})

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
}
const answersJson = { ...asks, json_schema: schema }

test('with json_schema the answer is an object, also from a code fence', async () => {
  for (const text of ['{"city":"Rome","days":2}', 'Sure:\n```json\n{"city":"Rome","days":2}\n```']) {
    const model = scriptedLanguageModel(() => ({ text }))
    const outputs = await outputsOf(llm, fakeStep(), answersJson, onlyModel(model))
    assert.deepEqual(outputs['object'], { city: 'Rome', days: 2 })
    assert.equal(outputs['text'], text)
    assert.deepEqual(model.requests[0]!.jsonSchema, { name: 'answer', schema })
  }
  assert.ok(llm.outputs(answersJson)!.includes('object'))
  assert.ok(!llm.outputs(asks)!.includes('object'))
})

test('an integer of the answer keeps all its digits', async () => {
  const model = scriptedLanguageModel(() => ({ text: '{"city":"Rome","days":687865202956247041}' }))
  const outputs = await outputsOf(llm, fakeStep(), answersJson, onlyModel(model))
  assert.deepEqual(outputs['object'], { city: 'Rome', days: '687865202956247041' })
  assert.equal(model.requests.length, 1)
})

test('members that the answer leaves out or sets to null get the default of the schema', async () => {
  const properties = {
    city: { type: 'string', default: '' },
    size: { type: 'string', enum: ['s', 'm'], default: '' },
    days: { type: 'integer', default: 0 },
    tags: { type: 'array', default: [] },
    note: { type: ['string', 'null'], default: 'none' },
    other: { type: 'string' },
  }
  const model = scriptedLanguageModel(() => ({ text: '{"city":"Rome","days":null,"note":null}' }))
  const data = { ...asks, json_schema: { type: 'object', properties } }
  const outputs = await outputsOf(llm, fakeStep(), data, onlyModel(model))
  assert.deepEqual(outputs['object'], { city: 'Rome', size: '', days: 0, tags: [], note: null })
  assert.equal(model.requests.length, 1)
})

test('an answer that violates the schema is corrected once', async () => {
  const answers = ['{"city":"Rome","days":"two"}', '{"city":"Rome","days":2}']
  const model = scriptedLanguageModel((_, count) => ({ text: answers[count - 1]! }))
  const step = fakeStep()
  const outputs = await outputsOf(llm, step, answersJson, onlyModel(model))
  assert.deepEqual(outputs['object'], { city: 'Rome', days: 2 })
  assert.equal(outputs['text'], answers[1])
  assert.equal(step.pieces.join(''), answers[1])
  assert.match(lastWords(model.requests[1]!), /"days" must be integer/)
  const again = fakeStep({ journal: step.journal })
  assert.deepEqual(await outputsOf(llm, again, answersJson, onlyModel(model)), outputs)
  assert.equal(model.requests.length, 2, 'a second attempt asks nothing')
})

test('an answer that violates the schema twice fails the step', async () => {
  const model = scriptedLanguageModel(() => ({ text: 'I would rather not.' }))
  await assert.rejects(runKind(llm, fakeStep(), answersJson, onlyModel(model)), (error: unknown) => {
    assert.ok(error instanceof StepFailure)
    assert.match(error.message, /json_schema: it is not JSON/)
    return error.reason === 'step_failed' && !error.retryable
  })
  assert.equal(model.requests.length, 2)
})

test('invalid settings are gaps', () => {
  const places = (data: JsonRecord): string[] =>
    llm.gaps!({ ...asks, ...data }).map(({ place }) => place.join('/'))
  assert.deepEqual(places({ temperature: 1, max_tokens: 10, history_turns: 50, json_schema: schema }), [])
  assert.deepEqual(
    places({ temperature: 3, max_tokens: 0.5, history_turns: 51, json_schema: { type: 'array' } }),
    ['temperature', 'max_tokens', 'history_turns', 'json_schema/type'],
  )
})

test('an answer that is nested too deeply is rejected', async () => {
  const text = `{"city":"Rome","days":2,"more":${'['.repeat(5000)}${']'.repeat(5000)}}`
  const model = scriptedLanguageModel(() => ({ text }))
  const run = runKind(llm, fakeStep(), answersJson, onlyModel(model))
  await assert.rejects(run, { name: 'StepFailure', message: /nested too deeply/ })
})

test('any JSON is accepted as a schema', async () => {
  const odd = { properties: { city: { type: [{ toString: 1 }, null, 7] } } }
  const model = scriptedLanguageModel(() => ({ text: '{"city":"Rome"}' }))
  const outputs = await outputsOf(llm, fakeStep(), { ...asks, json_schema: odd }, onlyModel(model))
  assert.deepEqual(outputs['object'], { city: 'Rome' })
})

test('the total size of images is limited', async () => {
  const bytes = new Uint8Array(21 << 20)
  const image = (name: string): FileContent => ({ type: 'image', name, mimeType: 'image/png', bytes })
  const model = scriptedLanguageModel()
  const services = { ...onlyModel(model), readFile: reading({ a: image('a'), b: image('b') }) }
  await outputsOf(llm, fakeStep({ system: { files: [fileOf('a')] } }), asks, services)
  const both = fakeStep({ system: { files: [fileOf('a'), fileOf('b')] } })
  await assert.rejects(runKind(llm, both, asks, services), {
    name: 'StepFailure',
    reason: 'too_large',
    retryable: false,
    message: /larger than 40 MiB in total/,
  })
  assert.equal(model.requests.length, 1)
})

test('the idempotency key of a call is a valid header value for any node id', async () => {
  const keys = []
  for (const idempotencyKey of ['run_1.node', 'run_1.节点', `run_1.${'x'.repeat(300)}`]) {
    const model = scriptedLanguageModel()
    await outputsOf(llm, { ...fakeStep(), idempotencyKey }, asks, onlyModel(model))
    keys.push(model.requests[0]!.idempotencyKey!)
  }
  assert.equal(keys[0], 'run_1.node.call-1')
  for (const key of keys) assert.match(key, /^[\x21-\x7e]{1,255}$/)
  assert.equal(new Set(keys).size, 3)
})
