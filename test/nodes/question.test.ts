import assert from 'node:assert/strict'
import test from 'node:test'
import { question } from '../../src/nodes/question.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, waitOf } from '../support/run-kind.ts'

const data = {
  question: 'Which size, {{#memory.name#}}?',
  options: ['Large', '{{#a.sizes#}}', '{{#skipped.x#}}'],
}
const given = { values: { 'a.sizes': ['Medium', 'Small', 7] }, memory: { name: 'Ada' } }

/** Asks, then answers in a second attempt of the step, in which nothing but the state is left. */
async function answer(text: string, asked: Record<string, unknown> = data): Promise<unknown> {
  const { state } = await waitOf(question, fakeStep(given), asked)
  const resumed = { state: JSON.parse(JSON.stringify(state)), reply: { text } }
  const outputs = await outputsOf(question, fakeStep({ resumed }), asked)
  assert.deepEqual(Object.keys(outputs), ['answer', 'text', 'result'])
  assert.equal(new Set(Object.values(outputs)).size, 1)
  return outputs['answer']
}

test('a question waits with its options', async () => {
  const { question: asked, options } = await waitOf(question, fakeStep(given), data)
  assert.equal(asked, 'Which size, Ada?')
  assert.deepEqual(options, ['Large', 'Medium', 'Small', '7'])
})

test('a question without options shows none', async () => {
  const wait = await waitOf(question, fakeStep(given), { question: 'Why?' })
  assert.ok(!('options' in wait))
})

test('a reply that matches an option becomes that option', async () => {
  assert.equal(await answer(' large '), 'Large')
  assert.equal(await answer('2'), 'Medium')
  assert.equal(await answer('3.'), 'Small')
  assert.equal(await answer('7'), '7')
})

test('an option may be spoken, or typed with an input method', async () => {
  const asked = { question: '哪一杯？', options: ['小杯', '大杯', 'Extra Large', 'Really?', 'Really!'] }
  for (const reply of ['大杯。', '“大杯”', '２', '2。']) assert.equal(await answer(reply, asked), '大杯')
  for (const reply of ['extra  large.', 'ＥＸＴＲＡ Large!'])
    assert.equal(await answer(reply, asked), 'Extra Large')
  assert.equal(await answer('really!', asked), 'Really!')
  for (const reply of ['不要大杯', '-2', '。', '2杯']) assert.equal(await answer(reply, asked), reply)
})

test('any other reply is kept unchanged', async () => {
  assert.equal(await answer('very large'), 'very large')
  assert.equal(await answer('0'), '0')
  assert.equal(await answer('5'), '5')
  assert.equal(await answer(' because \n', { question: 'Why?' }), ' because \n')
  assert.equal(await answer('1', { question: 'How many?' }), '1')
})

test('an empty question fails instead of waiting', async () => {
  const run = waitOf(question, fakeStep(), { question: '{{#skipped.text#}}' })
  await assert.rejects(run, { reason: 'step_failed', message: /"question"/ })
})
