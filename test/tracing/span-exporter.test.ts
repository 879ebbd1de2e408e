import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Span } from '../../src/tracing/span.ts'
import { type ExporterParts, SpanExporter } from '../../src/tracing/span-exporter.ts'
import { until } from '../support/watch.ts'

const span = (name: string): Span =>
  new Span(
    { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: undefined },
    name,
    'internal',
    () => {},
  )

describe('the exporter of spans', () => {
  const open = (send: ExporterParts['send']) => {
    const counted = { exported: 0, dropped: 0 }
    const exporter = new SpanExporter({
      send,
      count: (outcome, spans) => {
        counted[outcome] += spans
      },
      ...{ maxQueue: 4, maxBatch: 2, pauseMilliseconds: 5, retryMilliseconds: 1 },
    })
    return { exporter, counted }
  }

  test('sends batches, the last one after a pause', async () => {
    const sent: string[][] = []
    const { exporter, counted } = open(async spans => {
      sent.push(spans.map(({ name }) => name))
      return 'sent'
    })
    for (const name of ['a', 'b', 'c']) exporter.add(span(name))
    await until('all are sent', async () => counted.exported === 3)
    assert.deepEqual(sent, [['a', 'b'], ['c']])
  })

  test('keeps a bounded number while the collector does not answer, and drops the rest', async () => {
    const answer = Promise.withResolvers<'sent'>()
    const { exporter, counted } = open(() => answer.promise)
    for (let at = 0; at < 20; at++) exporter.add(span(String(at)))
    assert.equal(counted.dropped, 14, 'two are being sent, four wait')
    answer.resolve('sent')
    await until('the others are sent', async () => counted.exported === 6)
  })

  test('tries again while the collector is busy or unreachable, and gives up at last', async () => {
    const answers = ['try_again', new Error('unreachable'), 'sent'] as const
    let calls = 0
    const { exporter, counted } = open(async () => {
      const answer = calls < 3 ? answers[calls]! : 'try_again'
      calls++
      if (answer instanceof Error) throw answer
      return answer
    })
    exporter.add(span('kept'))
    await until('it is sent', async () => counted.exported === 1)
    assert.equal(calls, 3)
    exporter.add(span('lost'))
    await until('it is dropped', async () => counted.dropped === 1)
    assert.equal(calls, 7)
  })

  test('sends what is left when it is closed, and nothing afterwards', async () => {
    const { exporter, counted } = open(async () => 'sent')
    exporter.add(span('last'))
    await exporter.close()
    exporter.add(span('late'))
    assert.deepEqual(counted, { exported: 1, dropped: 1 })
  })
})
