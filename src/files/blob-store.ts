import type { Readable } from 'node:stream'

export interface WrittenBlob {
  /** Minted by the store and random; never derived from anything a client sent. */
  key: string
  size: number
  /** In hex. */
  sha256: string
  /** The first `headBytes` bytes, or all of them: what type detection needs. */
  head: Uint8Array
}

/** Both ends inclusive, as HTTP counts. */
export interface ByteRange {
  start: number
  end: number
}

/** As much of a file as type detection looks at. */
export const headBytes = 4100

/**
 * Where the bytes of files live. Nothing here depends on renaming or on folders, so that
 * a disk and an object store both fit; blobs are written once and never changed.
 */
export interface BlobStore {
  /**
   * Streams `source` away and hashes it. When this resolves, the bytes survive power loss.
   * Past `limit` bytes it fails with `too_large`. On any failure nothing is left, and the
   * source is closed with `return()`. A chunk must not be changed after it was handed over.
   */
  write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob>
  /** Fails with `content_damaged` when the blob is gone or ends before `range` does. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** A blob that is absent already is fine. */
  remove(key: string): Promise<void>
  list(): AsyncIterable<{ key: string; modifiedAt: number }>
  /** Removes leftovers of writes that never finished, and says how many. */
  sweepTemporary(): Promise<number>
  /** Fails with `unavailable` when nothing can be written. */
  check(): Promise<void>
}
