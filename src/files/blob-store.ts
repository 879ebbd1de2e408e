import type { Readable } from 'node:stream'

export interface WrittenBlob {
  /** Random; never derived from client data. */
  key: string
  size: number
  /** The checksum in hex. */
  sha256: string
  /** The first `headBytes` bytes, for type detection. */
  head: Uint8Array
}

/** Both ends inclusive, as in HTTP. */
export interface ByteRange {
  start: number
  end: number
}

/** Where a blob is: in use, or set aside because no row names it. */
export type BlobArea = 'blobs' | 'quarantine'

/** Called for every request to a remote store, including retries; a download has succeeded when it begins. */
export type StoreObserver = (operation: string, outcome: 'succeeded' | 'failed', seconds: number) => void

/** The part of a file that type detection reads. */
export const headBytes = 4100

/** Stores the content of files on a disk or in an object store. A blob is written once and never changed. */
export interface BlobStore {
  /**
   * Writes and hashes `source`. When it resolves, the content survives power loss. Fails with `too_large` beyond `limit`
   * bytes. After an error nothing is left, and the source is closed with `return()`. A chunk must not be changed after
   * it was passed.
   */
  write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob>
  /** Fails with `content_damaged` if the blob is missing or ends before `range`. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** A tag that changes whenever the content may have changed; undefined if the blob is missing. */
  tagOf(key: string): Promise<string | undefined>
  /** Gives `key` the content of `by`, which stays. `key` may be damaged, missing or in use by reads. */
  replace(key: string, by: string): Promise<void>
  /** Does nothing if the blob does not exist. */
  remove(key: string, area?: BlobArea): Promise<void>
  /** In the quarantine `modifiedAt` is the time of the move. */
  list(area?: BlobArea): AsyncIterable<{ key: string; modifiedAt: number }>
  /** Moves a blob into the area from the other one. Does nothing if it is not in the other one. */
  move(key: string, to: BlobArea): Promise<void>
  /** The id of the installation that the blobs belong to. */
  installationId(): Promise<string | undefined>
  /** Returns the id that is stored now: without `replace` an existing one stays. */
  setInstallationId(id: string, options: { replace: boolean }): Promise<string>
  /** The store is on a disk that other processes may not see, so each process sweeps its own. */
  readonly isLocal: boolean
  /** How often to call `sweepTemporary`. */
  readonly sweepSeconds: number
  /** Deletes the files of unfinished writes and returns their number. */
  sweepTemporary(): Promise<number>
  /** Fails with `storage_full` if the store has no space, and with `unavailable` if it is not writable. */
  check(): Promise<void>
  /** Only a remote store has requests to observe. */
  observe?(observer: StoreObserver): void
}
