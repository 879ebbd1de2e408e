import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { limits } from '../contract/limits.ts'
import type { WrittenBlob } from '../files/blob-store.ts'
import { checkFileName } from '../files/file-name.ts'
import type { FileService } from '../files/file-service.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { fileNameFrom } from './content-disposition.ts'
import { flowingBody } from './flowing-body.ts'
import { isJsonType, readJson } from './read-body.ts'
import { type Check, findingsOf } from './validation.ts'

export interface ReceivedFile {
  name: string
  blob: WrittenBlob
}

const stuckMilliseconds = 1000

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
  if (!check(value)) {
    const errors = findingsOf(check.errors ?? [])
    throw new AppError(
      'invalid_request',
      errors.map(({ path, message }) => `${path} ${message}`).join('; '),
      { errors },
    )
  }
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

const broken = (message: string, cause?: unknown): AppError =>
  new AppError('malformed_upload', message, { errors: [{ path: '/file', message }], cause })

function multipartReader(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type']!
  if (contentType.length > 200) throw broken('The multipart boundary is too long')
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      preservePath: true,
      // More than one chunk of a request can hold: the reader loses its way when a part that it skips is
      // over its mark and ends within one chunk.
      fileHwm: 256 << 10,
      limits: {
        fieldNameSize: 100,
        fieldSize: 64 << 10,
        fields: 20,
        parts: 30,
        headerPairs: 50,
        headerSize: 16 << 10,
      },
    })
  } catch (error) {
    throw broken('The multipart header cannot be read; it needs a boundary', error)
  }
}

/** One part `file`; other fields are ignored, a second file is refused. */
async function receiveMultipart(request: IncomingMessage, files: FileService): Promise<ReceivedFile> {
  // The parts around the file are small; the exact size is checked while it is read.
  refuseLarge(request, files.maxBytes + (1 << 20))
  const reader = multipartReader(request)
  let received: Promise<ReceivedFile> | undefined
  let content: Readable | undefined
  let failure: unknown
  const fail = (error: unknown): void => {
    failure ??= error
    // The reader forgets its open part when it ends; whoever reads that part would wait for ever.
    content?.destroy(error as Error)
    reader.destroy()
  }
  reader.on('file', (field, stream, filename) => {
    // The reader and the one who reads the part tell of it too; but an error nobody hears ends the process.
    stream.on('error', () => {})
    if (received || field !== 'file' || filename === undefined) {
      stream.resume()
      fail(
        broken(
          received
            ? 'Send one file per call'
            : 'The part that holds the file must be named file and have a filename',
        ),
      )
      return
    }
    content = stream
    received = (async () => {
      // Browsers write a quote in a file name as %22.
      const name = checkFileName(filename.replaceAll('%22', '"'), '/file')
      return { name, blob: await files.receive(stream) }
    })()
    received.catch(fail)
  })
  for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    reader.on(limit, () => fail(broken('The multipart body has too many parts')))
  const finished = new Promise<void>((resolve, reject) => {
    reader.once('finish', resolve)
    reader.on('error', reject)
    reader.once('close', () => (failure ? reject(failure) : resolve()))
  })
  finished.catch(() => {})
  try {
    const unlessStuck = (step: Promise<void>): Promise<void> => {
      const over = new AbortController()
      return Promise.race([step, stuckAfter(received, over.signal)]).finally(() => over.abort())
    }
    await feed(request, reader, () => failure, unlessStuck)
    await unlessStuck(finished)
    const file = await received
    if (!file) throw broken('The multipart body holds no part named file')
    return file
  } catch (error) {
    fail(error)
    const stored = await received?.catch(() => undefined)
    if (stored) await files.discard(stored.blob)
    throw failure instanceof AppError ? failure : broken('The multipart body is broken', failure)
  }
}

/**
 * Some broken bodies leave the reader waiting for what cannot come any more. While no file is being written
 * there is nothing that could take it time.
 */
async function stuckAfter(received: Promise<unknown> | undefined, over: AbortSignal): Promise<never> {
  await received
  await sleep(stuckMilliseconds, undefined, { ref: false, signal: over })
  throw broken('The multipart body is broken')
}

/** Hands the body on, no faster than it is taken. */
async function feed(
  request: IncomingMessage,
  reader: BusboyInstance,
  failed: () => unknown,
  unlessStuck: (step: Promise<void>) => Promise<void>,
): Promise<void> {
  for await (const chunk of flowingBody(request)) {
    if (failed()) throw failed()
    if (reader.write(chunk)) continue
    const drained = new Promise<void>(resolve => {
      const go = (): void => {
        reader.off('drain', go).off('close', go).off('error', go)
        resolve()
      }
      reader.on('drain', go).on('close', go).on('error', go)
    })
    await unlessStuck(drained)
  }
  if (failed()) throw failed()
  reader.end()
}
