import assert from 'node:assert/strict'
import type { Block, ReadBlocks } from '../../../src/knowledge/ingest/block.ts'
import { DocumentFailure, type DocumentFailureCode } from '../../../src/knowledge/ingest/document-failure.ts'

export const blocksOf = async (source: ReadBlocks): Promise<Block[]> => {
  const blocks: Block[] = []
  for await (const block of source) blocks.push(block)
  return blocks
}

/** The text of all blocks. */
export const textOf = async (source: ReadBlocks): Promise<string> =>
  (await blocksOf(source))
    .map(block =>
      block.kind === 'table'
        ? [block.header ?? [], ...block.rows].map(row => row.join('\t')).join('\n')
        : block.text,
    )
    .join('\n')

export const assertRefused = async (
  source: ReadBlocks | (() => unknown),
  code: DocumentFailureCode,
  message?: RegExp,
): Promise<void> => {
  const run = async () => (typeof source === 'function' ? source() : blocksOf(source))
  await assert.rejects(run, error => {
    assert.ok(error instanceof DocumentFailure, `not a DocumentFailure: ${error}`)
    assert.equal(error.code, code, error.message)
    if (message) assert.match(error.message, message)
    return true
  })
}
