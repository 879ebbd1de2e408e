import { write, writeSync } from 'node:fs'

/** About how many characters may wait to be written; further lines are dropped. */
const maxWaiting = 8 << 20
/** For a pipe whose reader is slow. */
const retryMilliseconds = 50
/** After any other error, such as a full disk: each attempt copies all that waits. */
const errorPauseMilliseconds = 1000
/** In a row, without any progress. */
const maxRetriesAtExit = 40

const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

const open = new Set<LogDestination>()
process.on('exit', () => {
  for (const destination of open) destination.flush()
})

/**
 * Writes the log to a descriptor. If it cannot be written, for example on a full disk, the server continues without it,
 * and writes the log again as soon as that succeeds.
 */
export class LogDestination {
  readonly #descriptor: number
  /** The rest of a write that was refused. It may begin inside of a character, so it stays bytes. */
  #refused: Buffer = Buffer.alloc(0)
  #waiting = ''
  #isWriting = false
  /** A pipe that refuses what it has no room for. It is written at once: the process may end during a write in a thread. */
  #neverBlocks = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    open.add(this)
  }

  write(lines: string): void {
    if (this.#refused.length + this.#waiting.length + lines.length > maxWaiting) return
    this.#waiting += lines
    if (!this.#isWriting) this.#writeWaiting()
  }

  close(): void {
    this.flush()
    open.delete(this)
  }

  /** One attempt: where the log cannot be written, another one would fail, too, and the process has to end. */
  flush(): void {
    let bytes = this.#take()
    for (let retries = 0; bytes.length > 0 && retries < maxRetriesAtExit; )
      try {
        bytes = bytes.subarray(writeSync(this.#descriptor, bytes))
        retries = 0
      } catch (error) {
        if (!isBusy(error)) return
        retries++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds)
      }
  }

  #writeWaiting(): void {
    const bytes = this.#take()
    this.#isWriting = bytes.length > 0
    if (!this.#isWriting) return
    if (this.#neverBlocks) this.#writeAtOnce(bytes)
    else this.#write(bytes)
  }

  #take(): Buffer {
    const bytes = Buffer.concat([this.#refused, Buffer.from(this.#waiting)])
    this.#refused = Buffer.alloc(0)
    this.#waiting = ''
    return bytes
  }

  #write(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, count) => {
      if (error) return this.#retryLater(bytes, error)
      if (count === bytes.length) return this.#writeWaiting()
      this.#write(bytes.subarray(count))
    })
  }

  #writeAtOnce(bytes: Buffer): void {
    let rest = bytes
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#descriptor, rest))
      this.#isWriting = false
    } catch (error) {
      this.#retryLater(rest, error)
    }
  }

  #retryLater(bytes: Buffer, error: unknown): void {
    this.#refused = bytes
    this.#neverBlocks ||= isBusy(error)
    // What still waits when the process ends is written then.
    const pause = isBusy(error) ? retryMilliseconds : errorPauseMilliseconds
    setTimeout(() => this.#writeWaiting(), pause).unref()
  }
}
