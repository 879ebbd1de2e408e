import { createHash } from 'node:crypto'
import { headBytes, type WrittenBlob } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'

/** Measures content while it is written. */
export class ContentMeter {
  readonly #limit: number
  readonly #hash = createHash('sha256')
  readonly #head = Buffer.alloc(headBytes)
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Fails with `too_large` beyond the limit. */
  add(chunk: Uint8Array): void {
    if (this.#size + chunk.length > this.#limit)
      throw new AppError('too_large', `The file is larger than ${this.#limit} bytes`)
    if (this.#size < headBytes) this.#head.set(chunk.subarray(0, headBytes - this.#size), this.#size)
    this.#size += chunk.length
    this.#hash.update(chunk)
  }

  result(): Omit<WrittenBlob, 'key'> {
    return { size: this.#size, sha256: this.#hash.digest('hex'), head: this.#head.subarray(0, this.#size) }
  }
}
