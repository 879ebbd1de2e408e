import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countTokens } from '../../../src/kernel/count-tokens.ts'
import type { Chunking } from '../../../src/knowledge/chunking.ts'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import type { Chunk } from '../../../src/knowledge/ingest/chunking/chunk.ts'
import { rowText } from '../../../src/knowledge/ingest/chunking/document-text.ts'
import { chunkAll } from './chunk-all.ts'
import { documentText } from './document-text.ts'
import { blocks } from './random-blocks.ts'

const size = fc.integer({ min: 16, max: 200 })
const overlap = fc.integer({ min: 0, max: 120 })
const separators = fc.option(fc.subarray(['\n\n', '###', '。', ' | '], { minLength: 1 }), { nil: undefined })
const chunking = (...strategies: Chunking['strategy'][]): fc.Arbitrary<Chunking> =>
  fc.record({ strategy: fc.constantFrom(...strategies), size, overlap, separators })

const holds = async (
  strategies: Chunking['strategy'][],
  check: (chunks: Chunk[], text: string, chunking: Chunking, blocks: Block[]) => void,
) =>
  fc.assert(
    fc.asyncProperty(blocks, chunking(...strategies), async (blocks, chunking) => {
      const chunks = await chunkAll(blocks, chunking)
      check(chunks, documentText(blocks), chunking, blocks)
    }),
    { numRuns: 200 },
  )

const plain: Chunking['strategy'][] = ['auto', 'paragraph', 'heading']
const all: Chunking['strategy'][] = [...plain, 'qa']
const isSpace = (character: string) => character.trim() === ''

describe('every document', () => {
  it('has chunks that are numbered without gaps and are never empty', () =>
    holds(all, chunks => {
      for (const [index, chunk] of chunks.entries()) {
        assert.equal(chunk.position, index)
        assert.notEqual(chunk.content.trim(), '')
        assert.equal(chunk.tokens, countTokens(chunk.content))
      }
    }))

  it('has chunks in reading order', () =>
    holds(all, (chunks, text) => {
      let before: Chunk | undefined
      for (const chunk of chunks) {
        assert.ok(chunk.from < chunk.to && chunk.to <= text.length)
        if (before) assert.ok(chunk.from >= before.from && chunk.to >= before.to)
        before = chunk
      }
    }))

  it('has no chunk above the size', () =>
    holds(plain, (chunks, _text, { size }) => {
      for (const chunk of chunks) assert.ok(chunk.tokens <= size, `${chunk.tokens} > ${size}`)
    }))

  it('has no question with its answer above four times the size', () =>
    holds(['qa'], (chunks, _text, { size }) => {
      for (const chunk of chunks) assert.ok(chunk.tokens <= 4 * size, `${chunk.tokens} > 4 * ${size}`)
    }))

  it('is contained in its chunks, each a slice of its text below any repeated table header', () =>
    holds(plain, (chunks, text, _chunking, blocks) => {
      const hasTables = blocks.some(block => block.kind === 'table')
      for (const { content, from, to } of chunks) {
        const slice = text.slice(from, to)
        if (hasTables) assert.ok(content === slice || content.endsWith(`\n${slice}`))
        else assert.equal(content, slice)
      }
    }))

  it('loses no character', () =>
    holds(plain, (chunks, text) => {
      const covered = new Uint8Array(text.length)
      for (const { from, to } of chunks) covered.fill(1, from, to)
      for (let index = 0; index < text.length; index++)
        assert.ok(
          covered[index] || isSpace(text.charAt(index)),
          `lost ${JSON.stringify(text.slice(index, index + 9))}`,
        )
    }))

  it('repeats nothing except the overlap', () =>
    holds(plain, (chunks, text, { size, overlap }) => {
      let end = 0
      for (const { from, to } of chunks) {
        const repeated = countTokens(text.slice(from, Math.max(from, end)))
        assert.ok(repeated <= Math.min(overlap, size / 2))
        assert.ok(to > end)
        end = to
      }
    }))

  it('is covered by the ranges of its chunks in qa mode, except for headings and table headers', () =>
    holds(['qa'], (chunks, text, _chunking, blocks) => {
      const covered = new Uint8Array(text.length)
      for (const { from, to } of chunks) covered.fill(1, from, to)
      const headings = new Set(chunks.flatMap(chunk => chunk.heading))
      const headers = blocks.map(block => (block.kind === 'table' ? rowText(block.header ?? []) : ''))
      for (const line of linesNotIn(text, covered))
        assert.ok(headings.has(line.replace(/\s+/g, ' ')) || headers.includes(line), `lost ${line}`)
    }))

  it('has all text of the ranges in its questions and answers, except for the markers', () =>
    holds(['qa'], (chunks, text) => {
      const contents = new Map<string, string>()
      for (const { from, to, content } of chunks) {
        const slice = text.slice(from, to)
        // The parts of a long answer in a table have the same range.
        const key = `${from} ${to} ${slice}`
        contents.set(key, (contents.get(key) ?? '') + content)
      }
      for (const [key, content] of contents) {
        const included = countsOf(content)
        for (const [unit, count] of countsOf(key.replace(/^\d+ \d+ /, '')))
          assert.ok((included.get(unit) ?? 0) >= count, `lost ${unit} of ${key}`)
      }
    }))

  it('never splits a grapheme', () =>
    holds(all, chunks => {
      for (const { content } of chunks) {
        assert.ok(!/^[\udc00-\udfff]/.test(content))
        // The random text contains an unpaired high surrogate.
        assert.ok(!/[\ud800-\udbff]$/.test(content) || content.endsWith('\ud83d'))
      }
    }))
})

const linesNotIn = (text: string, covered: Uint8Array): string[] => {
  let rest = ''
  for (let index = 0; index < text.length; index++) rest += covered[index] ? '\n\n' : text.charAt(index)
  return rest
    .split(/\n\n+/)
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** Character counts, without markers and cell separators. */
const countsOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const unit of text.split(''))
    if (!/[\s|QA问答:：]/.test(unit)) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  return counts
}
