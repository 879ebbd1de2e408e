import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FileToLoad, ReadPart } from '../../../src/knowledge/ingest/document-reader.ts'
import type { IngestionJob } from '../../../src/knowledge/ingest/ingestion-queue.ts'
import { IngestionTask, type TaskParts } from '../../../src/knowledge/ingest/ingestion-task.ts'

const part = (isLast: boolean): ReadPart => ({ chunks: [], segment: undefined, isLast, unreadPages: [] })

/** Runs a task whose reader does what is given, and returns the progress that was stored, in this order. */
async function progressOf(
  read: (file: Required<FileToLoad>, take: (part: ReadPart) => Promise<void>) => Promise<void>,
  /** How long storing each report takes. */
  pauses: number[] = [],
): Promise<number[]> {
  const stored: number[] = []
  let now = 0
  const parts = {
    queue: {
      renew: async (_job: unknown, _status: string, progress: number) => {
        await new Promise(resolve => setTimeout(resolve, pauses.shift() ?? 0))
        stored.push(progress)
        return true
      },
    },
    // Every report is stored.
    leases: { time: { now: () => (now += 1000) }, until: () => now, keep: () => {}, drop: () => {} },
    reader: {
      read: async (file: Required<FileToLoad>, take: (part: ReadPart) => Promise<void>) => {
        await read(file, take)
        await take(part(true))
      },
    },
    staging: { stage: async () => true, finish: async () => true },
    passages: { list: async () => [] },
  }
  const job = { batchId: 'batch_1', embeddingModel: null, dimension: null } as IngestionJob
  const task = new IngestionTask(job, parts as unknown as TaskParts)
  assert.ok(await task.run(new AbortController().signal))
  return stored
}

const assertGrows = (progress: number[]): void =>
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )

describe('the progress of a document', () => {
  it('continues where it was when the recognition of pages begins', async () => {
    const progress = await progressOf(async ({ onProgress, onPages }) => {
      await onProgress(4, 5)
      for (const done of [0, 1, 2]) await onPages(done, 2)
    })
    assert.deepEqual(progress, [0.77, 0.77, 0.86, 0.95])
  })

  it('does not decrease with the next attachment of a mail', async () => {
    const progress = await progressOf(async ({ onProgress, onPages }, take) => {
      await take(part(false))
      await onProgress(5, 10)
      await onProgress(1, 20)
      await onPages(3, 3)
      await onPages(3, 8)
    })
    assertGrows(progress)
  })

  it('is stored in its order while pages are recognised at the same time', async () => {
    const progress = await progressOf(
      async ({ onPages }) => {
        await Promise.all([onPages(1, 3), onPages(2, 3), onPages(3, 3)])
      },
      [30, 10, 0],
    )
    assert.equal(progress.length, 3)
    assertGrows(progress)
  })
})
