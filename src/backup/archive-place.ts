/** The place where an archive is written. The archive gets its name when it is complete. */
export interface ArchiveTarget {
  /** For messages. */
  readonly place: string
  /** Appends to it. The bytes must not be changed afterwards. */
  write(bytes: Uint8Array): Promise<void>
  /** When this resolves, the archive has its name and survives power loss. */
  finish(): Promise<void>
  discard(): Promise<void>
}

export interface ArchiveSource {
  readonly size: number
  /** How much to read at once when looking for headers; larger where calls are slow. */
  readonly windowBytes: number
  read(start: number, size: number): AsyncIterable<Uint8Array>
  close(): Promise<void>
}
