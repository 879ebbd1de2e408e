import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { TopScores } from '../../../src/kernel/top-scores.ts'
import { ByteReader, ByteWriter, termBytes } from '../../../src/knowledge/index/bytes.ts'
import {
  BlockWriter,
  eachEntry,
  findEntry,
  PostingReader,
  writePosting,
} from '../../../src/knowledge/index/postings.ts'
import { decodeHeader, encodeHeader } from '../../../src/knowledge/index/segment.ts'
import { mergeSegments } from '../../../src/knowledge/index/segment-builder.ts'
import { buildSegment } from './corpus.ts'

const number = fc.oneof(
  fc.nat(300),
  fc.constantFrom(0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 31, Number.MAX_SAFE_INTEGER),
)

test('numbers and bytes round-trip', () =>
  fc.assert(
    fc.property(fc.array(number), fc.uint8Array(), (numbers, bytes) => {
      const writer = new ByteWriter(1)
      for (const each of numbers) writer.varint(each)
      writer.append(bytes)
      const reader = new ByteReader(writer.view())
      for (const each of numbers) assert.equal(reader.varint(), each)
      assert.deepEqual(reader.bytes(bytes.length), bytes)
      assert.equal(reader.at, writer.length)
      assert.throws(() => reader.varint(), /truncated in the middle/)
    }),
  ))

test('postings round-trip', () => {
  const posting = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 3_000_000 }))
  fc.assert(
    fc.property(fc.array(posting), postings => {
      const writer = new ByteWriter()
      let chunk = -1
      const expected = postings.map(([distance, count]) => {
        writePosting(writer, distance, count)
        chunk += distance
        return [chunk, count]
      })
      const bytes = writer.view()
      const found: number[][] = []
      const reader = new PostingReader({ bytes, from: 0, to: bytes.length })
      while (reader.next()) found.push([reader.chunk, reader.count])
      assert.deepEqual(found, expected)
    }),
  )
})

test('a header round-trips', () => {
  const range = fc.record(
    {
      batchId: fc.string({ unit: 'grapheme' }),
      from: fc.nat(),
      count: fc.nat(20),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(range), fc.array(fc.string({ unit: 'grapheme' })), (ranges, firstTerms) => {
      const total = ranges.reduce((sum, { count }) => sum + count, 0)
      const header = { ranges, lengths: Uint32Array.from({ length: total }, (_, at) => at * 997), firstTerms }
      assert.deepEqual(decodeHeader(encodeHeader(header)), header)
    }),
  )
})

test('first terms of blocks round-trip with any characters', () => {
  const header = {
    ranges: [],
    lengths: new Uint32Array(),
    firstTerms: ['a', '\ud840', '\udc00\ud840', '\uffff'],
  }
  assert.deepEqual(decodeHeader(encodeHeader(header)).firstTerms, header.firstTerms)
})

describe('a block', () => {
  const terms = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }), { minLength: 1 })

  test('returns every term and no other', () =>
    fc.assert(
      fc.property(terms, all => {
        const sorted = all.toSorted()
        const writer = new BlockWriter()
        for (const [index, term] of sorted.entries()) writer.add(term, index + 1, Uint8Array.of(index & 0x7f))
        writer.finish()
        assert.equal(writer.blocks.length, 1)
        const [block] = writer.blocks
        assert.deepEqual(
          [...eachEntry(block!)].map(entry => entry.term),
          sorted,
        )
        for (const [index, term] of sorted.entries()) {
          const entry = findEntry(block!, termBytes(term))!
          assert.equal(entry.term, term)
          assert.equal(entry.chunkCount, index + 1)
          assert.deepEqual([...entry.bytes.subarray(entry.from, entry.to)], [index & 0x7f])
          const other = `${term}x`
          if (!all.includes(other)) assert.equal(findEntry(block!, termBytes(other)), undefined)
        }
      }),
    ))

  test('is closed before its offsets overflow, however long the postings are', () => {
    const writer = new BlockWriter()
    const sizes = [1, 30_000, 70_000, 1, 200_000, 5]
    for (const [index, size] of sizes.entries()) writer.add(`t${index}`, 1, new Uint8Array(size).fill(index))
    writer.finish()
    assert.equal(writer.firstTerms.length, writer.blocks.length)
    const entries = writer.blocks.flatMap(block => [...eachEntry(block)])
    assert.deepEqual(
      entries.map(({ term, from, to }) => [term, to - from]),
      sizes.map((size, index) => [`t${index}`, size]),
    )
    for (const [index, { bytes, from, to }] of entries.entries())
      assert.ok(bytes.subarray(from, to).every(byte => byte === index))
  })
})

test('a segment addresses its chunks by batch and position', () => {
  const segment = buildSegment({ batchId: 'b', chunks: [['x'], [], ['x', 'y']] }, 500)
  const header = decodeHeader(segment.header)
  assert.deepEqual(header.ranges, [{ batchId: 'b', from: 500, count: 3 }])
  assert.deepEqual([...header.lengths], [1, 0, 2])
  assert.deepEqual([segment.chunkCount, segment.termTotal], [3, 3])
  const merged = mergeSegments([segment, buildSegment({ batchId: 'c', chunks: [['z']] })], id => id === 'b')
  assert.deepEqual(decodeHeader(merged.header).ranges, [{ batchId: 'c', from: 0, count: 1 }])
  assert.deepEqual(
    merged.blocks.flatMap(block => [...eachEntry(block)]).map(({ term }) => term),
    ['z'],
  )
})

test('a segment whose documents are all deleted merges to an empty one', () => {
  const merged = mergeSegments([buildSegment({ batchId: 'b', chunks: [['x']] })], () => true)
  assert.deepEqual([merged.chunkCount, merged.termTotal, merged.blocks.length], [0, 0, 0])
  assert.equal(mergeSegments([], () => false).chunkCount, 0)
})

test('the highest scores are kept', () =>
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 20 }), (scores, limit) => {
      const top = new TopScores<number>(limit)
      for (const [index, score] of scores.entries()) top.offer(index, score)
      const best = top.best()
      assert.deepEqual(
        best.map(({ score }) => score),
        scores.toSorted((left, right) => right - left).slice(0, limit),
      )
      for (const { item, score } of best) assert.equal(scores[item], score)
      assert.equal(new Set(best.map(({ item }) => item)).size, best.length)
    }),
  ))
