import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { limits } from '../contract/limits.ts'
import type { WrittenBlob } from '../files/blob-store.ts'
import { checkFileName } from '../files/file-name.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { allowFree } from '../kernel/free-bytes.ts'
import { nextTurn } from '../kernel/pause.ts'
import { isJsonType, readJson } from './body.ts'
import { fileNameFrom } from './content-headers.ts'
import { MultipartReader, malformedUpload, multipartBoundary } from './multipart.ts'
import { type Check, refuseUnless } from './validation.ts'

/** The store for the content of an upload, and its size limit. */
export type UploadTarget = Pick<FileService, 'maxBytes' | 'receive' | 'discard'>

export interface ReceivedFile {
  name: string
  blob: WrittenBlob
}

/** Maximum number of parts, and size of those that are not the file. */
const maxParts = 30
const maxSideBytes = 64 << 10

/** The file of an upload: multipart, JSON or raw. */
export function receiveFile(
  request: IncomingMessage,
  files: UploadTarget,
  options: { queryName: string | undefined; checkJson: Check },
): Promise<ReceivedFile> {
  const contentType = request.headers['content-type']
  if (/^multipart\//i.test(contentType ?? '')) return receiveMultipart(request, files)
  const name = options.queryName ?? fileNameFrom(request.headers['content-disposition'])
  // JSON with a file name is the file itself; for a file in base64 the name is in the body.
  if (isJsonType(contentType) && name === undefined) return receiveJson(request, files, options.checkJson)
  return receiveRaw(request, files, name)
}

async function receiveRaw(
  request: IncomingMessage,
  files: UploadTarget,
  sent: string | undefined,
): Promise<ReceivedFile> {
  if (sent === undefined)
    throw invalidField('/name', 'is required: send ?name= or a Content-Disposition with a filename')
  const name = checkFileName(sent, '/name')
  refuseLarge(request, files.maxBytes)
  return { name, blob: await files.receive(uploadBody(request)) }
}

function refuseLarge(request: IncomingMessage, limit: number, besidesFile = 0): void {
  if (Number(request.headers['content-length'] ?? 0) > limit + besidesFile)
    throw new AppError('too_large', `The file is larger than ${limit} bytes`, { data: { limit } })
}

async function receiveJson(
  request: IncomingMessage,
  files: UploadTarget,
  check: Check,
): Promise<ReceivedFile> {
  const { value } = await readJson(request, limits.jsonUploadBytes)
  refuseUnless(check, value)
  const { name, content_base64: content } = value as { name: string; content_base64: string }
  const checkedName = checkFileName(name, '/name')
  const bytes = decodeBase64(content, '/content_base64')
  return { name: checkedName, blob: await files.receive(Readable.from(bytes)) }
}

/** A multiple of four. */
const base64PieceLength = 1 << 20

/** Decodes in pieces, so that other requests are handled in between. */
export async function* decodeBase64(content: string, pointer: string): AsyncGenerator<Uint8Array> {
  const refuse = (): never => {
    throw invalidField(pointer, 'must be base64 with padding')
  }
  if (content.length % 4 !== 0) refuse()
  for (let at = 0; at < content.length; at += base64PieceLength) {
    const piece = content.slice(at, at + base64PieceLength)
    const isLast = at + base64PieceLength >= content.length
    if (!(isLast ? paddedBase64 : base64).test(piece)) refuse()
    yield Buffer.from(piece, 'base64')
    await nextTurn()
  }
}

const base64 = /^[A-Za-z0-9+/]*$/
const paddedBase64 = /^[A-Za-z0-9+/]*={0,2}$/

/** One part `file`; other fields are skipped, a second file is rejected. */
async function receiveMultipart(request: IncomingMessage, files: UploadTarget): Promise<ReceivedFile> {
  const boundary = multipartBoundary(request.headers['content-type'] ?? '')
  // The parts around the file are small; the exact size is checked while reading.
  refuseLarge(request, files.maxBytes, 1 << 20)
  const body = uploadBody(request)
  const parts = new MultipartReader(body, boundary)
  let received: ReceivedFile | undefined
  try {
    // Content before the first boundary is ignored.
    await parts.skip(maxSideBytes)
    for (let count = 1; ; count++) {
      const part = await parts.next()
      if (!part) break
      if (count > maxParts) throw malformedUpload(`The multipart body has more than ${maxParts} parts`)
      if (part.fileName === undefined) {
        await parts.skip(maxSideBytes)
        continue
      }
      if (part.name !== 'file') throw malformedUpload('The part with the file must be named file')
      if (received) throw malformedUpload('Send one file per call')
      received = { name: checkFileName(part.fileName, '/file'), blob: await files.receive(parts.content()) }
    }
    await parts.finish(maxSideBytes)
    if (!received) throw malformedUpload('The multipart body has no part named file with a filename')
    return received
  } catch (error) {
    if (received) await files.discard(received.blob)
    throw error
  } finally {
    await body.return(undefined)
  }
}

const slowAfterMilliseconds = 30_000
const minBytesPerSecond = 1024

/** Aborts an upload that stalls or is slow; the request stays open, so that the client receives the error. */
export async function* uploadBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const iterator = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  const startedAt = performance.now()
  let lastAt = startedAt
  let bytes = 0
  let abort: (error: AppError) => void = () => {}

  const watch = setInterval(() => {
    const now = performance.now()
    const seconds = (now - startedAt) / 1000
    const tooSlow = now - startedAt > slowAfterMilliseconds && bytes < seconds * minBytesPerSecond
    if (tooSlow || now - lastAt > limits.bodyStallMilliseconds)
      abort(new AppError('request_timeout', 'The request body arrived too slowly'))
  }, 1000)

  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        abort = reject
        // The time that the disk needs does not count.
        lastAt = performance.now()
        iterator.next().then(resolve, reject)
      })
      if (next.done) return
      bytes += next.value.length
      // A chunk of a request is a buffer of its own.
      yield allowFree(next.value)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('malformed_http', 'The request body ended early', { cause: error })
  } finally {
    clearInterval(watch)
    // Not awaited: after a stall the last read is still pending. The iterator must release the request, otherwise
    // `drain` receives nothing.
    iterator.return?.().catch(() => {})
  }
}
