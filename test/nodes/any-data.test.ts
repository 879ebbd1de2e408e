import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { checkFields } from '../../src/workflow/shape.ts'
import { StepFailure } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { rounds } from '../support/rounds.ts'
import { fakeServices } from '../support/run-kind.ts'
import { onlyModel, scriptedLanguageModel } from '../support/scripted-language-model.ts'
import { furtherNodes, node } from '../workflow/graphs.ts'

const hostile = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '{{#a.x#}}',
    '{{#skipped.y#}}',
    '{{#sys.files#}}',
    '__proto__',
    'toString',
    '{',
    '"',
    '\r\n',
  ),
  fc.string({ unit: 'binary' }),
)

function replaceSomewhere(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return replacement
  const entries = Object.entries(value)
  if (entries.length === 0) return replacement
  const chosen = first % entries.length
  const changed = entries.map(([key, member], place) => [
    key,
    place === chosen ? replaceSomewhere(member, rest, replacement) : member,
  ])
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed)
}

const services = fakeServices({
  ...onlyModel(scriptedLanguageModel()),
  searchKnowledge: async () => ({
    mode: 'keyword',
    tookMilliseconds: 1,
    items: [],
    warning: undefined,
    explanation: undefined,
  }),
  http: { request: async () => ({ status: 200, headers: {}, text: '' }) },
  jinja: { render: async ({ template }) => template },
  findFiles: async () => [],
  findAgent: async () => ({ workflowId: 'wf_1' }),
})

/** Kinds and settings that need services. */
const withServices = [
  node('send', 'http_request', {
    method: 'POST',
    url: 'https://api.example/',
    form: [
      { name: 'q', value: '{{#a.x#}}' },
      { name: 'f', file: '{{#a.x#}}' },
    ],
    form_encoding: 'urlencoded',
    body_file: '',
  }),
  node('expert', 'agent', { agent_id: '{{#sys.query#}}', query: '{{#a.x#}}', max_rounds: 3 }),
  node('input', 'input', {
    environment: [{ name: 'a', value: 1 }],
    memory: [{ name: 'b', default: [2], description: 'B' }],
  }),
]

/** Whether it ran; whatever the data and the values are, it fails only in a way that its author understands. */
async function runAny(data: Record<string, unknown>, value: unknown): Promise<boolean> {
  const kind = nodeKinds.get(data['type'] as string)
  if (!kind) return false
  let hasRightTypes = true
  checkFields(data, kind.fields, '', () => {
    hasRightTypes = false
  })
  if (!hasRightTypes) return false
  kind.gaps?.(data)
  kind.outputs(data)
  kind.cases?.(data)
  kind.declares?.(data)
  const resumed = data['type'] === 'question' ? { state: value, reply: { text: '1' } } : undefined
  const step = fakeStep({
    values: { 'a.x': value },
    memory: { x: value },
    system: { query: 'q', item: value },
    runWorkflow: () => ({ status: 'succeeded', outputs: { x: value }, answer: '' }),
    ...(resumed && typeof value === 'object' && { resumed }),
  })
  try {
    const outcome = await kind.run(step, data, services)
    assert.doesNotThrow(() => JSON.stringify(outcome))
    return true
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    assert.ok(error.message.length > 0 && error.message.length < 600, error.message)
    return false
  }
}

test('every kind accepts any data of the declared types and any values without an internal error', async () => {
  const numRuns = rounds(500)
  let ran = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...furtherNodes(), ...withServices),
      fc.array(fc.nat(9), { maxLength: 6 }),
      hostile,
      hostile,
      async ({ data }, path, replacement, value) => {
        const changed = replaceSomewhere(data, path, replacement)
        const isRecord = typeof changed === 'object' && changed !== null && !Array.isArray(changed)
        if (isRecord && (await runAny(changed as Record<string, unknown>, value))) ran += 1
      },
    ),
    { numRuns },
  )
  assert.ok(ran > numRuns / 10, `only ${ran} of them ran`)
})
