import type { FileHandle } from 'node:fs/promises'
import { freeBytes } from '../../kernel/free-bytes.ts'
import { diskFailure, onDisk } from './disk-failure.ts'

/** Maximum data buffered for the next write while one is in progress. */
const batchBytes = 2 << 20
/** Limits the number of small chunks, and fits one writev (IOV_MAX is 1024). */
const batchChunks = 1024
/** A sync starts after this much data, in parallel to writes: the final sync then takes 5 ms instead of 70 for 256 MiB. */
const writebackBytes = 16 << 20

/** The calls a sink makes; a test passes a failing file. */
export type SinkFile = Pick<FileHandle, 'writev' | 'datasync' | 'sync'>

const writeAll = async (file: SinkFile, chunks: Uint8Array[]): Promise<void> => {
  let rest = chunks
  while (rest.length > 0) {
    let { bytesWritten: done } = await file.writev(rest)
    // A disk that is nearly full may write a part; the next call then fails with the reason.
    let whole = 0
    while (whole < rest.length && done >= rest[whole]!.length) done -= rest[whole++]!.length
    rest = rest.slice(whole)
    if (done > 0) rest[0] = rest[0]!.subarray(done)
  }
}

/** Writes chunks in order and batches those that arrive during a write. */
export const createFileSink = (file: SinkFile) => {
  let batch: Uint8Array[] = []
  let collected = 0
  let unsynced = 0
  let writing: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  // Errors are stored, not thrown: no caller may be waiting, and a later sync of the same file may succeed although
  // an earlier one lost data.
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
      .then(() => chunks.forEach(freeBytes))
      .catch(keep)
      .finally(() => {
        writing = undefined
        if (unsynced >= writebackBytes && !syncing && !failure) startWriteback()
      })
  }

  return {
    /** Resolves when the sink accepts more data (backpressure). */
    async add(chunk: Uint8Array): Promise<void> {
      throwFailure()
      if (chunk.length === 0) return
      batch.push(chunk)
      collected += chunk.length
      if (writing && collected < batchBytes && batch.length < batchChunks) return
      await writing
      throwFailure()
      startWrite()
    },
    /** Resolves when all data is synced. */
    async finish(): Promise<void> {
      await writing
      throwFailure()
      if (batch.length > 0) startWrite()
      await writing
      await syncing
      throwFailure()
      await onDisk(() => file.sync())
    },
    /** Resolves when no call on the file is pending, so that it can be closed. */
    async settle(): Promise<void> {
      await writing
      await syncing
    },
  }
}
