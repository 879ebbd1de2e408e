import type { Readable } from 'node:stream'

export interface WrittenBlob {
  /** Random; never derived from client data. */
  key: string
  size: number
  /** In hex. */
  sha256: string
  /** The first `headBytes` bytes, for type detection. */
  head: Uint8Array
}

/** Both ends inclusive, as in HTTP. */
export interface ByteRange {
  start: number
  end: number
}

/** The part of a file that type detection reads. */
export const headBytes = 4100

/**
 * Stores the content of files. Nothing depends on renaming or directories, so that both a disk and an object store can
 * implement it; blobs are written once and never changed.
 */
export interface BlobStore {
  /**
   * Writes and hashes `source`. When it resolves, the content survives power loss. Fails with `too_large` beyond `limit`
   * bytes. After an error nothing is left, and the source is closed with `return()`. A chunk must not be changed after
   * it was passed.
   */
  write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob>
  /** Fails with `content_damaged` if the blob is missing or ends before `range`. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** Does nothing if the blob does not exist. */
  remove(key: string): Promise<void>
  list(): AsyncIterable<{ key: string; modifiedAt: number }>
  /** Deletes the files of unfinished writes and returns their number. */
  sweepTemporary(): Promise<number>
  /** Fails with `unavailable` if the store is not writable. */
  check(): Promise<void>
}
