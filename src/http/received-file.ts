import type { IncomingMessage } from 'node:http'
import { limits } from '../contract/limits.ts'
import type { WrittenBlob } from '../files/blob-store.ts'
import { checkFileName } from '../files/file-name.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { fileNameFrom } from './content-disposition.ts'
import { flowingBody } from './flowing-body.ts'
import { brokenUpload, MultipartParts, multipartBoundary } from './multipart-parts.ts'
import { isJsonType, readJson } from './read-body.ts'
import { type Check, refuseUnless } from './validation.ts'

export interface ReceivedFile {
  name: string
  blob: WrittenBlob
}

/** Parts of a form, and bytes of those that are not the file. */
const mostParts = 30
const mostSideBytes = 64 << 10

type Receive = (source: AsyncIterable<Uint8Array>) => Promise<WrittenBlob>

/** The one file of an upload, in whichever of the three ways it came. */
export function receiveFile(
  request: IncomingMessage,
  files: FileService,
  options: { queryName: string | undefined; checkJson: Check },
): Promise<ReceivedFile> {
  const contentType = request.headers['content-type']
  const receive: Receive = source => files.receive(source)
  if (/^multipart\//i.test(contentType ?? '')) return receiveMultipart(request, files)
  if (isJsonType(contentType)) return receiveJson(request, receive, options.checkJson)
  return receiveRaw(request, files, options.queryName)
}

async function receiveRaw(
  request: IncomingMessage,
  files: FileService,
  queryName: string | undefined,
): Promise<ReceivedFile> {
  const sent = queryName ?? fileNameFrom(request.headers['content-disposition'])
  if (sent === undefined)
    throw invalidField('/name', 'is required: send ?name= or a Content-Disposition with a filename')
  const name = checkFileName(sent, '/name')
  refuseLarge(request, files.maxBytes)
  return { name, blob: await files.receive(flowingBody(request)) }
}

function refuseLarge(request: IncomingMessage, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit)
    throw new AppError('too_large', `The file is larger than ${limit} bytes`, { data: { limit } })
}

async function receiveJson(request: IncomingMessage, receive: Receive, check: Check): Promise<ReceivedFile> {
  const { value } = await readJson(request, limits.jsonUploadBytes)
  refuseUnless(check, value)
  const { name, content_base64: content } = value as { name: string; content_base64: string }
  const checkedName = checkFileName(name, '/name')
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
    throw invalidField('/content_base64', 'must be base64 with padding')
  const bytes = Buffer.from(content, 'base64')
  return { name: checkedName, blob: await receive(once(bytes)) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** One part `file`; fields beside it are passed over, a second file is refused. */
async function receiveMultipart(request: IncomingMessage, files: FileService): Promise<ReceivedFile> {
  const boundary = multipartBoundary(request.headers['content-type'] ?? '')
  // The parts around the file are small; the exact size is checked while it is read.
  refuseLarge(request, files.maxBytes + (1 << 20))
  const body = flowingBody(request)
  const parts = new MultipartParts(body, boundary)
  let received: ReceivedFile | undefined
  try {
    // What stands before the first boundary means nothing.
    await parts.skip(mostSideBytes)
    for (let count = 1; ; count++) {
      const part = await parts.next()
      if (!part) break
      if (count > mostParts) throw brokenUpload('The multipart body has too many parts')
      if (part.fileName === undefined) {
        await parts.skip(mostSideBytes)
        continue
      }
      if (part.name !== 'file') throw brokenUpload('The part that holds the file must be named file')
      if (received) throw brokenUpload('Send one file per call')
      received = { name: checkFileName(part.fileName, '/file'), blob: await files.receive(parts.content()) }
    }
    await parts.finish(mostSideBytes)
    if (!received) throw brokenUpload('The multipart body holds no part named file with a filename')
    return received
  } catch (error) {
    if (received) await files.discard(received.blob)
    throw error
  } finally {
    await body.return(undefined)
  }
}
