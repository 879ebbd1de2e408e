import { finished, Readable } from 'node:stream'
import type { ByteRange } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** Consecutive attempts without any data. */
const maxFailures = 3

const openBody = async (bucket: S3Bucket, path: string, range?: ByteRange) => {
  const found = await bucket.get(path, range && `bytes=${range.start}-${range.end}`)
  const body = found.Body as Readable
  // Until it is read, an error of the connection has no other listener.
  body.on('error', () => {})
  return { body, length: found.ContentLength ?? 0, contentRange: found.ContentRange }
}

/** The content of an object. After a broken connection it continues from where it was. */
class Download extends Readable {
  readonly #open: (at: number) => Promise<Readable>
  readonly #end: number
  #at: number
  #body: Readable | undefined
  #isOpening = false
  #failures = 0

  constructor(first: Readable, { start, end }: ByteRange, open: (at: number) => Promise<Readable>) {
    super({ highWaterMark: 512 << 10 })
    this.#open = open
    this.#at = start
    this.#end = end
    this.#attach(first)
  }

  override _read(): void {
    if (this.#at > this.#end) this.push(null)
    else if (this.#body) this.#body.resume()
    else if (!this.#isOpening) void this.#reopen()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#body?.destroy()
    done(error)
  }

  #attach(body: Readable): void {
    this.#body = body
    body.on('data', (chunk: Buffer) => {
      this.#at += chunk.length
      this.#failures = 0
      if (!this.push(chunk)) body.pause()
    })
    body.pause()
    finished(body, { writable: false }, error => this.#detach(error))
  }

  #detach(error: Error | null | undefined): void {
    this.#body = undefined
    if (this.destroyed) return
    if (this.#at > this.#end) this.push(null)
    else if (++this.#failures > maxFailures)
      this.destroy(
        new AppError('unavailable', 'The file store broke the connection several times; try again', {
          cause: error,
        }),
      )
    else if (this.readableLength < this.readableHighWaterMark) this._read()
  }

  async #reopen(): Promise<void> {
    this.#isOpening = true
    try {
      const body = await this.#open(this.#at)
      if (this.destroyed) return void body.destroy()
      this.#attach(body)
      body.resume()
    } catch (error) {
      this.destroy(error as Error)
    } finally {
      this.#isOpening = false
    }
  }
}

/** Resolves when the content begins, so that a missing object is an error and not a broken stream. */
export const openDownload = async (bucket: S3Bucket, path: string, range?: ByteRange): Promise<Readable> => {
  const { body, length, contentRange } = await openBody(bucket, path, range)
  if (range && length !== range.end - range.start + 1) {
    body.destroy()
    throw new AppError(
      'content_damaged',
      `The content of the file ends too early (${contentRange ?? `${length} bytes`}); restore it from a backup`,
    )
  }
  const { start, end } = range ?? { start: 0, end: length - 1 }
  return new Download(
    body,
    { start, end },
    async at => (await openBody(bucket, path, { start: at, end })).body,
  )
}
