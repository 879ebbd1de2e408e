import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Egress } from '../../src/adapters/egress/egress.ts'
import { createLanguageModel } from '../../src/adapters/model/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { rounds } from '../support/rounds.ts'
import { type ChatBody, type ChatPlan, streamFrames } from '../support/scripted-chat.ts'

/** A network that responds to everything with these chunks. */
const answering = (chunks: Iterable<Uint8Array>): Egress => ({
  request: async url => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: Readable.from(chunks, { objectMode: false }),
    url: String(url),
  }),
  close: () => {},
})

async function read(chunks: Iterable<Uint8Array>) {
  const model = createLanguageModel({
    egress: answering(chunks),
    baseUrl: 'http://x.test',
    model: 'm',
    trusted: true,
  })
  const pieces: string[] = []
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'go' }] }]
  const answer = await model.generate({ messages }, piece => pieces.push(piece), new AbortController().signal)
  return { ...answer, pieces: pieces.join('') }
}

const body: ChatBody = { model: 'm', messages: [{ role: 'user', content: 'go' }], stream: true }
const bytesOf = (plan: ChatPlan): Buffer =>
  Buffer.from(
    streamFrames(body, plan)
      .map(frame => frame.text)
      .join(''),
  )

const cut = (bytes: Buffer, places: number[]): Uint8Array[] => {
  const ends = [...new Set(places.map(place => place % bytes.length)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(part => part.length > 0)
}

const plans: fc.Arbitrary<ChatPlan> = fc.record({
  text: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  lineEnd: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
  byteOrderMark: fc.boolean(),
  keepAlives: fc.boolean(),
  emptyChoices: fc.boolean(),
  withoutDone: fc.boolean(),
})
const places = fc.array(fc.nat(100_000), { maxLength: 60 })

describe('the stream of a language model', () => {
  it('yields the same text however its bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(plans, places, async (plan, splits) => {
        const answer = await read(cut(bytesOf(plan), splits))
        assert.equal(answer.text, plan.text?.toWellFormed())
        assert.equal(answer.pieces, answer.text)
      }),
      { numRuns: rounds(40) },
    )
  })

  it('truncated anywhere yields the whole text or a retryable failure', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(100_000), async (plan, place) => {
        const bytes = bytesOf(plan)
        const outcome = await read([bytes.subarray(0, place % bytes.length)]).catch((error: unknown) => error)
        if (outcome instanceof ModelFailure) assert.equal(outcome.retryable, true)
        else assert.equal((outcome as { text: string }).text, plan.text?.toWellFormed())
      }),
      { numRuns: rounds(40) },
    )
  })

  it('with any damage yields an answer or a ModelFailure', async () => {
    const damage = fc.array(fc.tuple(fc.nat(100_000), fc.nat(255)), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(plans, damage, async (plan, changes) => {
        const bytes = bytesOf(plan)
        for (const [place, value] of changes) bytes[place % bytes.length] = value
        const outcome = await read([bytes]).catch((error: unknown) => error)
        assert.ok(outcome instanceof ModelFailure || !(outcome instanceof Error), String(outcome))
      }),
      { numRuns: rounds(40) },
    )
  })

  it('is aborted at a line without end', async () => {
    let sent = 0
    function* endless(): Generator<Uint8Array> {
      yield Buffer.from('data: "')
      for (; sent < 1000; sent++) yield Buffer.alloc(64 << 10, 'x')
    }
    await assert.rejects(read(endless()), { name: 'ModelFailure', retryable: true, message: /too long/ })
    assert.ok(sent < 200, `${sent} parts were read`)
  })
})
