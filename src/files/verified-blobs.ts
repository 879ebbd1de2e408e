import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { AppError } from '../kernel/app-error.ts'
import { LruMap } from '../kernel/lru-map.ts'
import type { BlobStore } from './blob-store.ts'

const damaged = (reason: string) =>
  new AppError('content_damaged', `The stored content is damaged: ${reason}`)

/**
 * Passes the content through, but holds back the last chunk until the checksum is verified. A client that knows the
 * length therefore never receives a complete but damaged response: the stream fails with `content_damaged` before its
 * end, and a file of one chunk before its first byte.
 */
export const verifiedContent = (content: Readable, sha256: string, size: number): Readable => {
  const checksum = createHash('sha256')
  let seen = 0
  let held: Buffer | undefined

  const verify = (): AppError | undefined => {
    if (seen !== size) return damaged(`${seen} bytes instead of ${size}`)
    return checksum.digest('hex') === sha256 ? undefined : damaged('wrong checksum')
  }

  const verified = new Transform({
    // Room for one chunk of the store on either side, so that hashing and reading overlap.
    highWaterMark: 512 << 10,
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > size) return done(damaged(`more than ${size} bytes`))
      checksum.update(chunk)
      const previous = held
      held = chunk
      done(null, previous)
    },
    flush(done) {
      const failure = verify()
      if (failure) done(failure)
      else done(null, held)
    },
  })
  // The callback has nothing to do: pipeline destroys both ends, and the reader sees the error.
  return pipeline(content, verified, () => {})
}

/** The whole content in memory. Fails with `content_damaged` if it is not what was stored. */
export async function loadVerified(content: Readable, sha256: string, size: number) {
  const bytes = new Uint8Array(size)
  // Chunk by chunk, because all at once would hold the event loop.
  const checksum = createHash('sha256')
  let seen = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (seen + chunk.length > size) throw damaged(`more than ${size} bytes`)
    bytes.set(chunk, seen)
    checksum.update(chunk)
    seen += chunk.length
  }
  if (seen !== size) throw damaged(`${seen} bytes instead of ${size}`)
  if (checksum.digest('hex') !== sha256) throw damaged('wrong checksum')
  return bytes
}

interface BlobContent {
  key: string
  sha256: string
  size: number
}

const maxRemembered = 10_000

/** Reads the whole content and fails with `content_damaged` if it is not what was stored. */
export async function verifyBlob(
  blobs: Pick<BlobStore, 'read'>,
  { key, sha256, size }: BlobContent,
  pace?: (bytes: number) => Promise<void>,
): Promise<void> {
  for await (const chunk of verifiedContent(await blobs.read(key), sha256, size))
    await pace?.((chunk as Uint8Array).length)
}

/** Remembers which blobs were verified, so that a part of a blob can be served without reading all of it again. */
export class VerifiedBlobs {
  readonly #blobs: Pick<BlobStore, 'read' | 'tagOf'>
  readonly #tags = new LruMap<string, string>(maxRemembered)
  readonly #running = new Map<string, Promise<void>>()

  constructor(blobs: Pick<BlobStore, 'read' | 'tagOf'>) {
    this.#blobs = blobs
  }

  /** Verifies the blob unless it is unchanged since the last time. */
  async ensure(content: BlobContent): Promise<void> {
    const { key } = content
    const tag = await this.#blobs.tagOf(key)
    if (tag === undefined)
      throw new AppError('content_damaged', 'The content of the file is missing; restore it from a backup')
    if (this.#tags.get(key) === tag) return
    let running = this.#running.get(key)
    if (!running) {
      running = verifyBlob(this.#blobs, content).finally(() => this.#running.delete(key))
      this.#running.set(key, running)
    }
    await running
    this.#tags.set(key, tag)
  }
}
