import assert from 'node:assert/strict'
import test from 'node:test'
import { classifier } from '../../src/nodes/classifier.ts'
import { fakeStep } from '../support/fake-step.ts'
import { runKind } from '../support/run-kind.ts'
import { lastWords, onlyModel, scriptedLanguageModel, systemOf } from '../support/scripted-language-model.ts'

const classes = [
  { id: 'tea', description: 'questions about tea' },
  { id: 'coffee', description: '咖啡' },
  { id: 'other', description: 'anything else' },
]
const data = { query: '{{#sys.query#}}', classes }

async function chosen(query: string, answer?: string): Promise<string | undefined> {
  const model = scriptedLanguageModel(() => (answer === undefined ? undefined : { text: answer }))
  const outcome = await runKind(classifier, fakeStep({ system: { query } }), data, onlyModel(model))
  assert.ok('outputs' in outcome)
  const { description } = classes.find(({ id }) => id === outcome.case)!
  assert.deepEqual(outcome.outputs, { case: outcome.case, text: outcome.case, description })
  return outcome.case
}

test('the class that the model returns is the case', async () => {
  assert.equal(await chosen('green tea please'), 'tea')
  assert.equal(await chosen('x', '{"class":"coffee"}'), 'coffee')
})

test('an answer in free text is matched to a class', async () => {
  for (const answer of [
    'coffee',
    'The class is coffee.',
    '{"class":"咖啡"}',
    '```json\n{"class":" Coffee"}\n```',
  ])
    assert.equal(await chosen('x', answer), 'coffee', answer)
})

test('an answer without a class falls back to the message, then to the last class', async () => {
  assert.equal(await chosen('one coffee', '{"class":"juice"}'), 'coffee')
  assert.equal(await chosen('a steak for the team', '{"class":null}'), 'other')
  assert.equal(await chosen('x', 'tea or coffee, who knows'), 'other')
})

test('the user message holds only the text, the system message the classes', async () => {
  const model = scriptedLanguageModel()
  await runKind(classifier, fakeStep({ system: { query: 'hello tea' } }), data, onlyModel(model))
  const [request] = model.requests
  assert.equal(lastWords(request!), 'hello tea')
  assert.match(systemOf(request!), /"tea": questions about tea/)
  assert.deepEqual(request!.jsonSchema!.schema['properties'], {
    class: { type: 'string', enum: ['tea', 'coffee', 'other'] },
  })
})

test('an instruction is part of the system message', async () => {
  const model = scriptedLanguageModel()
  const step = fakeStep({ system: { query: 'tea' }, memory: { rule: 'Prefer coffee.' } })
  await runKind(classifier, step, { ...data, instruction: '{{#memory.rule#}}' }, onlyModel(model))
  assert.match(systemOf(model.requests[0]!), /anything else\n\nPrefer coffee\.\n\nAnswer with JSON/)
})

test('an attempt after a crash does not call the model again', async () => {
  const model = scriptedLanguageModel()
  const first = fakeStep({ system: { query: 'tea' } })
  const before = await runKind(classifier, first, data, onlyModel(model))
  const again = fakeStep({ system: { query: 'tea' }, journal: first.journal })
  assert.deepEqual(await runKind(classifier, again, data, onlyModel(model)), before)
  assert.equal(model.requests.length, 1)
  assert.equal(first.spent.length, 1)
})

test('its cases are the ids of its classes, which must be set and unique', () => {
  assert.deepEqual(classifier.cases!(data), ['tea', 'coffee', 'other'])
  const broken = { query: 'q', classes: [{ id: 'a' }, { id: 'a' }, { description: 'b' }] }
  assert.deepEqual(
    classifier.gaps!(broken).map(({ place }) => place.join('/')),
    ['classes/1/id', 'classes/2/id'],
  )
})
