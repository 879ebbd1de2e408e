import { randomBytes } from 'node:crypto'
import { open, truncate } from 'node:fs/promises'
import { pause } from '../../kernel/pause.ts'

/** Room for the write-ahead log of large deletions. */
const reserveBytes = 8 << 20
const checkMilliseconds = 2000

const pathOf = (database: string): string => `${database}-reserve`

/** Without the file there is nothing to release. */
export const releaseReserve = (database: string): Promise<void> =>
  truncate(pathOf(database), 0).catch(() => {})

/**
 * A file that only takes up space. A deletion needs space, too, for the write-ahead log: on a full disk it gets that of
 * this file, which then takes back what is free.
 */
export class DiskReserve {
  readonly #database: string
  readonly #closed = new AbortController()
  readonly #kept: Promise<void>
  #isLent = false

  /** `database` is the path of the database. */
  constructor(database: string) {
    this.#database = database
    this.#kept = this.#keep()
  }

  /** Runs the work with the space of the reserve. */
  async lend(work: () => Promise<void>): Promise<void> {
    this.#isLent = true
    try {
      await releaseReserve(this.#database)
      await work()
    } finally {
      this.#isLent = false
      await this.#fill()
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#kept
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closed
    for (;;) {
      await pause(checkMilliseconds, signal)
      if (signal.aborted) return
      if (!this.#isLent) await this.#fill()
    }
  }

  /** Takes what is missing, as far as there is space. */
  async #fill(): Promise<void> {
    try {
      await using file = await open(pathOf(this.#database), 'a', 0o600)
      let { size } = await file.stat()
      // Random bytes, which no file system compresses away.
      const block = size < reserveBytes ? randomBytes(64 << 10) : undefined
      while (block && size < reserveBytes && !this.#isLent) size += (await file.write(block)).bytesWritten
    } catch {
      // A full or broken disk; the next write to the database reports it.
    }
  }
}
