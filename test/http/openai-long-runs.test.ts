import assert from 'node:assert/strict'
import { test } from 'node:test'
import { citationFinder, cutReason } from '../../src/http/routes/openai/answer-text.ts'

const citations = Array.from({ length: 4000 }, (_, at) => ({
  ...{ index: at + 1, file_id: `file_${at}`, file_name: `${at}.md`, content: 'A passage about tea.' },
}))
const step = (text: string, finish_reason: string) => ({
  ...({ runId: 'run_a', path: text, kind: 'llm', status: 'succeeded', attempt: 1, promptTokens: 0 } as const),
  ...{ outputs: JSON.stringify({ text, finish_reason, citations }), completionTokens: 0, startedAt: 0 },
})
const steps = [
  ...Array.from({ length: 40 }, (_, at) => step(`Answer ${at}`, 'stop')),
  step('The end [2', 'length'),
  step('end [2', 'stop'),
]
const runs = { steps: async () => steps as never }
const exchange = { workspaceId: 'default', runId: 'run_a' } as Parameters<typeof cutReason>[1]

async function countTurns<Result>(work: Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const result = await work
  isDone = true
  return { result, turns }
}

test('the outputs of a long run are read one by one, between other requests', async () => {
  const answer = { replies: [{ dataType: 'text', content: 'It is: The end [2' }] }
  const cut = await countTurns(cutReason(runs, exchange, answer as never))
  assert.equal(cut.result, 'length')
  assert.ok(cut.turns > 5, `${cut.turns} turns of the event loop`)
  const cited = await countTurns(citationFinder(runs, exchange)('Answer 7 [2]'))
  assert.deepEqual(
    cited.result.map(({ start, fileId }) => [start, fileId]),
    [[9, 'file_1']],
  )
  assert.ok(cited.turns > 5, `${cited.turns} turns of the event loop`)
})
