import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { AppError } from '../../kernel/app-error.ts'
import { freeBytes } from '../../kernel/free-bytes.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** Smaller content is one request. */
const minPartBytes = 8 << 20
const maxParts = 10_000
/** The largest file that MAX_FILE_BYTES allows. */
const maxFileBytes = 2 ** 40
/** Parts of one upload that are sent while the next one is received. */
const partsAtOnce = 2

/** Equal for all parts, because some stores require that, and large enough for `limit` bytes. */
export const partBytesFor = (limit: number): number =>
  Math.max(minPartBytes, Math.ceil(Math.min(limit, maxFileBytes) / maxParts))

interface Part {
  Body: Buffer
  ChecksumSHA256: string
}

/** Uploads content of unknown length: in parts if it is large, otherwise in one request at its end. */
export class S3Upload {
  readonly #bucket: S3Bucket
  readonly #path: string
  readonly #partBytes: number
  /** Ids of the uploads of this process. */
  readonly #live: Set<string>
  #chunks: Uint8Array[] = []
  #held = 0
  #hash = createHash('sha256')
  #uploadId: string | undefined
  #partCount = 0
  /** The request that makes the object visible was sent: even if it fails here, the store may have executed it. */
  isPublishing = false
  readonly #parts: CompletedPart[] = []
  readonly #sending = new Set<Promise<void>>()
  #failure: { error: unknown } | undefined

  constructor(bucket: S3Bucket, path: string, partBytes: number, live = new Set<string>()) {
    this.#bucket = bucket
    this.#path = path
    this.#partBytes = partBytes
    this.#live = live
  }

  /** Resolves when more data is accepted (backpressure). */
  async add(chunk: Uint8Array): Promise<void> {
    let rest = chunk
    while (this.#held + rest.length > this.#partBytes) {
      const fits = this.#partBytes - this.#held
      this.#hold(rest.subarray(0, fits))
      rest = rest.subarray(fits)
      await this.#sendPart()
    }
    this.#hold(rest)
  }

  /** Resolves when the object is stored. */
  async finish(): Promise<void> {
    if (this.#uploadId === undefined) return this.#put()
    await this.#sendPart()
    await Promise.all(this.#sending)
    this.#throwFailure()
    this.isPublishing = true
    const Parts = this.#parts.sort((a, b) => a.PartNumber! - b.PartNumber!)
    await this.#bucket.send(
      new CompleteMultipartUploadCommand({ ...this.#upload(), MultipartUpload: { Parts } }),
      'slow',
    )
    this.#live.delete(this.#uploadId)
  }

  /** Removes the parts that were sent, as far as the store can be reached. */
  async abort(): Promise<void> {
    await Promise.all(this.#sending)
    if (this.#uploadId === undefined) return
    await this.#bucket.send(new AbortMultipartUploadCommand(this.#upload())).catch(() => {})
    this.#live.delete(this.#uploadId)
  }

  #hold(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#held += chunk.length
    this.#hash.update(chunk)
  }

  #take(): Part {
    const part = {
      Body: Buffer.concat(this.#chunks, this.#held),
      ChecksumSHA256: this.#hash.digest('base64'),
    }
    this.#chunks.forEach(freeBytes)
    this.#chunks = []
    this.#held = 0
    this.#hash = createHash('sha256')
    return part
  }

  async #put(): Promise<void> {
    this.isPublishing = true
    await this.#bucket.send(
      new PutObjectCommand({ ...this.#bucket.object(this.#path), ...this.#take() }),
      'content',
    )
  }

  #upload(): { Bucket: string; Key: string; UploadId: string } {
    return { ...this.#bucket.object(this.#path), UploadId: this.#uploadId! }
  }

  async #begin(): Promise<void> {
    const created = await this.#bucket.send(
      new CreateMultipartUploadCommand({ ...this.#bucket.object(this.#path), ChecksumAlgorithm: 'SHA256' }),
    )
    this.#uploadId = created.UploadId!
    this.#live.add(this.#uploadId)
  }

  async #sendPart(): Promise<void> {
    if (this.#partCount === maxParts)
      throw new AppError(
        'too_large',
        `More than ${maxParts} parts of ${this.#partBytes} bytes are not possible`,
      )
    if (this.#uploadId === undefined) await this.#begin()
    while (this.#sending.size >= partsAtOnce) await Promise.race(this.#sending)
    this.#throwFailure()
    const PartNumber = ++this.#partCount
    const sending: Promise<void> = this.#uploadPart(PartNumber, this.#take())
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  async #uploadPart(PartNumber: number, part: Part): Promise<void> {
    const { ETag } = await this.#bucket.send(
      new UploadPartCommand({ ...this.#upload(), PartNumber, ...part }),
      'content',
    )
    this.#parts.push({ PartNumber, ETag: ETag!, ChecksumSHA256: part.ChecksumSHA256 })
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
