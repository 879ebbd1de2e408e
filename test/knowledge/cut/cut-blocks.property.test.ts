import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Chunking } from '../../../src/knowledge/chunking.ts'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import type { Chunk } from '../../../src/knowledge/ingest/cut/chunk.ts'
import { countTokens } from '../../../src/knowledge/ingest/cut/count-tokens.ts'
import { documentText } from '../../../src/knowledge/ingest/cut/document-text.ts'
import { cutAll } from './cut-all.ts'
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
      const chunks = await cutAll(blocks, chunking)
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

  it('is found in its chunks, each being a slice of its text below what is repeated of a table', () =>
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

  it('says nothing twice but for the overlap', () =>
    holds(plain, (chunks, text, { size, overlap }) => {
      let end = 0
      for (const { from, to } of chunks) {
        const repeated = countTokens(text.slice(from, Math.max(from, end)))
        assert.ok(repeated <= Math.min(overlap, size / 2))
        assert.ok(to > end)
        end = to
      }
    }))

  it('loses no question and no answer', () =>
    holds(['qa'], (chunks, text) => {
      const covered = new Uint8Array(text.length)
      for (const { from, to } of chunks) covered.fill(1, from, to)
      const headings = new Set(chunks.flatMap(chunk => chunk.heading))
      for (const line of linesNotIn(text, covered)) {
        const isHeading = headings.has(line.replace(/\s+/g, ' '))
        assert.ok(
          isHeading || /^(问题 \| 答案|分类 \| Question \| Answer)$/.test(line),
          `lost ${JSON.stringify(line)}`,
        )
      }
    }))

  it('never has a character cut in two', () =>
    holds(all, chunks => {
      for (const { content } of chunks) {
        assert.ok(!/^[\udc00-\udfff]/.test(content))
        // The broken half in the random text is a first half without a second one.
        assert.ok(!/[\ud800-\udbff]$/.test(content) || content.endsWith('\ud83d'))
      }
    }))
})

const linesNotIn = (text: string, covered: Uint8Array): string[] => {
  let rest = ''
  for (let index = 0; index < text.length; index++) rest += covered[index] ? '\n\n' : text.charAt(index)
  return rest
    .split(/\n\n+|(?<=答案|Answer)\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
}
