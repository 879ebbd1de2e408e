import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tracer } from '../../src/tracing/tracer.ts'

test('spans inside a span that is not recorded are not recorded either', async context => {
  const ended: string[] = []
  const tracer = new Tracer({ onEnd: ({ name }) => ended.push(name), ratio: 0.5, capturesContent: false })
  const draws = [0.9, 0.1, 0.1]
  context.mock.method(Math, 'random', () => draws.shift() ?? 0.1)
  const record = (name: string) =>
    tracer.record({ name }, async () => {
      await tracer.record({ name: `${name}.inner` }, async () => {})
    })
  await record('left out')
  await record('recorded')
  assert.deepEqual(ended, ['recorded.inner', 'recorded'])
})
