import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { limits } from '../../contract/limits.ts'
import type { BlobArea, BlobStore, ByteRange, StoreObserver, WrittenBlob } from '../../files/blob-store.ts'
import type { S3Settings, S3Url } from '../../files/s3-url.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { checkKey, isKey, mintKey } from './blob-key.ts'
import { ContentMeter } from './content-meter.ts'
import { S3Bucket } from './s3-bucket.ts'
import { openDownload } from './s3-download.ts'
import { unlessMissing } from './s3-failure.ts'
import { partBytesFor, S3Upload } from './s3-upload.ts'

const idPath = 'installation-id'
const probePath = 'write-check'
/** The largest object, and the largest part, that S3 copies in one request. */
const maxCopyBytes = 5 * 2 ** 30

interface S3StoreOptions {
  clock?: Clock
  maxCopyBytes?: number
}

class S3BlobStore implements BlobStore {
  readonly isLocal = false
  readonly sweepSeconds = 3600
  readonly #bucket: S3Bucket
  readonly #clock: Clock
  readonly #maxCopyBytes: number
  /** Uploads in parts by this process. */
  readonly #live = new Set<string>()

  constructor(bucket: S3Bucket, options: S3StoreOptions) {
    this.#bucket = bucket
    this.#clock = options.clock ?? systemClock
    this.#maxCopyBytes = options.maxCopyBytes ?? maxCopyBytes
  }

  async write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob> {
    const key = mintKey()
    const meter = new ContentMeter(limit)
    const upload = new S3Upload(this.#bucket, this.#pathOf(key), partBytesFor(limit), this.#live)
    try {
      for await (const chunk of source) {
        meter.add(chunk)
        await upload.add(chunk)
      }
      await upload.finish()
      return { key, ...meter.result() }
    } catch (error) {
      const discarded = this.#discard(key, upload)
      // A store that is unreachable now would only delay the response.
      if (!isTemporary(error)) await discarded
      throw error
    }
  }

  /** Removes what it can; if the store cannot be reached, the sweeps do it later. */
  async #discard(key: string, upload: S3Upload): Promise<void> {
    await upload.abort()
    if (upload.isPublishing) await this.remove(key).catch(() => {})
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    return openDownload(this.#bucket, this.#pathOf(key), range)
  }

  async tagOf(key: string): Promise<string | undefined> {
    const found = await unlessMissing(this.#head(this.#pathOf(key)))
    return found && `${found.ETag}-${found.LastModified?.getTime()}`
  }

  replace(key: string, by: string): Promise<void> {
    return this.#copy(this.#pathOf(by), this.#pathOf(key))
  }

  async remove(key: string, area: BlobArea = 'blobs'): Promise<void> {
    await this.#bucket.send(new DeleteObjectCommand(this.#bucket.object(this.#pathOf(key, area))))
  }

  async *list(area: BlobArea = 'blobs'): AsyncGenerator<{ key: string; modifiedAt: number }> {
    const { Bucket, Key: Prefix } = this.#bucket.object(`${area}/`)
    let token: string | undefined
    do {
      const page = await this.#bucket.send(
        new ListObjectsV2Command({ Bucket, Prefix, ...(token && { ContinuationToken: token }) }),
      )
      for (const { Key = '', LastModified } of page.Contents ?? []) {
        const key = Key.slice(Prefix.length)
        if (isKey(key)) yield { key, modifiedAt: LastModified?.getTime() ?? this.#clock.now() }
      }
      token = page.NextContinuationToken
    } while (token)
  }

  async move(key: string, to: BlobArea): Promise<void> {
    const from = to === 'blobs' ? 'quarantine' : 'blobs'
    const isMoved = await unlessMissing(
      this.#copy(this.#pathOf(key, from), this.#pathOf(key, to)).then(() => true),
    )
    if (isMoved) await this.remove(key, from)
  }

  async installationId(): Promise<string | undefined> {
    const found = await unlessMissing(openDownload(this.#bucket, idPath))
    return (found && (await text(found)).trim()) || undefined
  }

  async setInstallationId(id: string, { replace }: { replace: boolean }): Promise<string> {
    try {
      await this.#bucket.send(
        new PutObjectCommand({
          ...this.#bucket.object(idPath),
          Body: Buffer.from(`${id}\n`),
          ...(!replace && { IfNoneMatch: '*' }),
        }),
      )
    } catch (error) {
      // If several processes start at once, the first one sets it.
      if (!(error instanceof AppError && error.reason === 'already_exists')) throw error
    }
    return (await this.installationId()) ?? ''
  }

  /** S3 does not report the time of the last part, so the age of an upload counts from its beginning. */
  async sweepTemporary(): Promise<number> {
    const { Bucket, Key: Prefix } = this.#bucket.object('')
    const oldest = this.#clock.now() - limits.staleUploadMilliseconds
    let removed = 0
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined
    do {
      const page = await this.#bucket.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...markers }))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (!Key || !UploadId || !Initiated) continue
        if (this.#live.has(UploadId) || Initiated.getTime() > oldest) continue
        await this.#bucket.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
        removed++
      }
      markers = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    } while (markers)
    return removed
  }

  async check(): Promise<void> {
    await this.#bucket.send(
      new PutObjectCommand({ ...this.#bucket.object(probePath), Body: Buffer.alloc(0) }),
      'probe',
    )
  }

  observe(observer: StoreObserver): void {
    this.#bucket.observer = observer
  }

  #head(path: string) {
    return this.#bucket.send(new HeadObjectCommand(this.#bucket.object(path)))
  }

  /** At any time the destination has either its old content or the new one. */
  async #copy(from: string, to: string): Promise<void> {
    const { ContentLength: size = 0 } = await this.#head(from)
    const { Bucket, Key } = this.#bucket.object(from)
    const CopySource = [Bucket, ...Key.split('/').map(encodeURIComponent)].join('/')
    const target = this.#bucket.object(to)
    if (size <= this.#maxCopyBytes)
      await this.#bucket.send(new CopyObjectCommand({ ...target, CopySource }), 'slow')
    else await this.#copyInParts(CopySource, target, size)
  }

  async #copyInParts(CopySource: string, target: { Bucket: string; Key: string }, size: number) {
    const { UploadId } = await this.#bucket.send(new CreateMultipartUploadCommand(target))
    const upload = { ...target, UploadId: UploadId! }
    this.#live.add(upload.UploadId)
    try {
      const Parts: CompletedPart[] = []
      for (let start = 0; start < size; start += this.#maxCopyBytes) {
        const end = Math.min(start + this.#maxCopyBytes, size) - 1
        const PartNumber = Parts.length + 1
        const { CopyPartResult } = await this.#bucket.send(
          new UploadPartCopyCommand({
            ...upload,
            PartNumber,
            CopySource,
            CopySourceRange: `bytes=${start}-${end}`,
          }),
          'slow',
        )
        Parts.push({ PartNumber, ETag: CopyPartResult?.ETag })
      }
      await this.#bucket.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
        'slow',
      )
    } catch (error) {
      await this.#bucket.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
      throw error
    } finally {
      this.#live.delete(upload.UploadId)
    }
  }

  #pathOf(key: string, area: BlobArea = 'blobs'): string {
    checkKey(key)
    return `${area}/${key}`
  }
}

export const openS3BlobStore = (
  { bucket, path }: S3Url,
  settings: S3Settings,
  options: S3StoreOptions = {},
): BlobStore => new S3BlobStore(new S3Bucket(bucket, path && `${path}/`, settings), options)
