import type { FileHandle } from 'node:fs/promises'
import { diskFailure, onDisk } from './disk-failure.ts'

/** While a write is under way at most this much more is collected for the next one. */
const batchBytes = 2 << 20
/** Bounds the memory of many tiny chunks, and fits one writev (IOV_MAX is 1024). */
const batchChunks = 1024
/**
 * After this much the disk is told to begin, alongside further writes, so that the sync at the
 * end finds little left to do: 5 ms instead of 70 for 256 MiB here.
 */
const writebackBytes = 16 << 20

/** The calls a sink makes on a file; a test hands in a failing one. */
export type SinkFile = Pick<FileHandle, 'writev' | 'datasync' | 'sync'>

export interface FileSink {
  /** Resolves when the sink takes more; waiting for it is the backpressure. */
  add(chunk: Uint8Array): Promise<void>
  /** Resolves when everything is on the disk. */
  finish(): Promise<void>
  /** Resolves when no call on the file is under way, so that it may be closed. */
  settle(): Promise<void>
}

const writeAll = async (file: SinkFile, chunks: Uint8Array[]): Promise<void> => {
  let rest = chunks
  while (rest.length > 0) {
    let { bytesWritten: done } = await file.writev(rest)
    // A disk running full may take a part only; the next call then says why.
    let whole = 0
    while (whole < rest.length && done >= rest[whole]!.length) done -= rest[whole++]!.length
    rest = rest.slice(whole)
    if (done > 0) rest[0] = rest[0]!.subarray(done)
  }
}

/** Writes chunks in order, many at once: what arrives during one write is the next one. */
export const createFileSink = (file: SinkFile): FileSink => {
  let batch: Uint8Array[] = []
  let collected = 0
  let unsynced = 0
  let writing: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  // Failures are kept, not thrown: nobody may be waiting at that moment, and a later sync of the
  // same file may succeed although an earlier one lost data.
  const keep = (error: unknown) => {
    failure ??= { error: diskFailure(error) }
  }
  const throwFailure = () => {
    if (failure) throw failure.error
  }

  const startWriteback = () => {
    unsynced = 0
    syncing = file
      .datasync()
      .catch(keep)
      .finally(() => {
        syncing = undefined
      })
  }

  const startWrite = () => {
    const chunks = batch
    unsynced += collected
    batch = []
    collected = 0
    writing = writeAll(file, chunks)
      .catch(keep)
      .finally(() => {
        writing = undefined
        if (unsynced >= writebackBytes && !syncing && !failure) startWriteback()
      })
  }

  return {
    async add(chunk) {
      throwFailure()
      if (chunk.length === 0) return
      batch.push(chunk)
      collected += chunk.length
      if (writing && collected < batchBytes && batch.length < batchChunks) return
      await writing
      throwFailure()
      startWrite()
    },
    async finish() {
      await writing
      throwFailure()
      if (batch.length > 0) startWrite()
      await writing
      await syncing
      throwFailure()
      await onDisk(() => file.sync())
    },
    async settle() {
      await writing
      await syncing
    },
  }
}
