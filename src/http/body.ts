import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { type JsonMember, jsonMembers } from '../kernel/json-members.ts'
import { hasLostDigits, type ParseOptions, parseInPieces } from '../kernel/parse-in-pieces.ts'
import { atOnce, type Pausable, queued } from '../kernel/slices.ts'

interface JsonBody {
  value: unknown
  members: ReadonlyMap<string, JsonMember>
}

export const noMembers: ReadonlyMap<string, JsonMember> = new Map()

const tooLarge = (limit: number): AppError =>
  new AppError('too_large', `The body is larger than ${limit} bytes`, { data: { limit } })

const chunksPerPiece = 1024
const pieceBytes = 64 << 10

/** The whole body in pieces, within its size limit and timeout. */
async function readBody(request: IncomingMessage, limit: number): Promise<readonly Buffer[]> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>()
  const pieces: Buffer[] = []
  let chunks: Buffer[] = []
  let size = 0
  let joined = 0
  const join = (): void => {
    pieces.push(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    chunks = []
    joined = size
  }
  const tooSlow = (): void => reject(new AppError('request_timeout', 'The request body arrived too slowly'))
  const stalled = setTimeout(tooSlow, limits.bodyStallMilliseconds)
  const deadline = performance.now() + limits.jsonBodyMilliseconds
  const onData = (chunk: Buffer): void => {
    if (performance.now() > deadline) return void tooSlow()
    stalled.refresh()
    size += chunk.length
    if (size > limit) return void reject(tooLarge(limit))
    chunks.push(chunk)
    // Chunks are joined as they arrive, because a client may send millions of chunks of one byte.
    if (chunks.length >= chunksPerPiece || size - joined >= pieceBytes) join()
  }
  const onEnd = (): void => {
    if (chunks.length > 0 || pieces.length === 0) join()
    resolve(pieces)
  }
  const onClose = (cause?: Error): void => {
    // Also emitted right after a complete body.
    if (!request.readableEnded)
      reject(new AppError('malformed_http', 'The request body ended early', { cause }))
  }
  request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
  try {
    return await promise
  } catch (error) {
    // `drain` reads the rest of the body.
    request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
    throw error
  } finally {
    clearTimeout(stalled)
  }
}

/** In the document of an import, the graph is two levels down. */
const maxDepth = limits.graphDepth + 2
/** A body of more pieces is parsed in slices. */
const largePieces = 4

/** The whole body, as it was received. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  refuseEncoding(request)
  return Buffer.concat(await readBody(request, limit))
}

/** Only the end of a chunked body shows that it is empty. */
export const isEmptyBody = (request: IncomingMessage): Promise<boolean> =>
  readBody(request, 0).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.reason === 'too_large') return false
      throw error
    },
  )

/** JSON in UTF-8; an empty body counts as {}. */
export const readJson = async (request: IncomingMessage, limit: number, values?: number): Promise<JsonBody> =>
  parseJson(await readBody(request, limit), values)

/** Parses a body and frees its pieces, unless there is only one. */
export async function parseJson(
  pieces: readonly Buffer[],
  values: number = limits.jsonValues,
  options?: ParseOptions,
): Promise<JsonBody> {
  const parsing = parseBody(pieces, values, options)
  return pieces.length > largePieces || pieces[0]!.length > largePieces * pieceBytes
    ? queued(parsing)
    : atOnce(parsing)
}

/** Frees the memory of a piece at once: the garbage collector counts it, and would run for a few large bodies. */
function free(bytes: Buffer): void {
  const { buffer } = bytes
  // The memory that small buffers share must not be freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length) buffer.transfer(0)
}

/**
 * Decodes several pieces one by one, and frees them: Node holds a text of more than a megabyte that is created at once
 * outside of the heap, where a few of them cause a full garbage collection.
 */
function* decode(pieces: readonly Buffer[]): Pausable<string> {
  const [first] = pieces
  if (pieces.length === 1) {
    if (isUtf8(first!)) return first!.toString('utf8')
    throw notUtf8()
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts: string[] = []
  try {
    for (const piece of pieces) {
      texts.push(decoder.decode(piece, { stream: true }))
      free(piece)
      yield
    }
    return texts.join('') + decoder.decode()
  } catch (cause) {
    throw notUtf8(cause)
  }
}

const notUtf8 = (cause?: unknown): AppError =>
  new AppError('malformed_json', 'The body is not valid UTF-8', { cause })

function* parseBody(pieces: readonly Buffer[], values: number, options?: ParseOptions): Pausable<JsonBody> {
  const decoded = yield* decode(pieces)
  const text = decoded.startsWith('\ufeff') ? decoded.slice(1) : decoded
  yield
  const members = yield* jsonMembers(text, {
    depth: maxDepth,
    values,
    members: limits.jsonMembers,
    innerMembers: limits.jsonInnerMembers,
  })
  if (members.size === 0 && text.trim() === '') return { value: {}, members: noMembers }
  yield
  try {
    return { value: yield* parseInPieces(text, options), members }
  } catch (error) {
    throw new AppError('malformed_json', `The body is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json$/i
const otherCharset = /^charset\s*=(?!\s*"?utf-?8"?$)/i

/**
 * Whether a body is JSON. Parameters of the type are ignored, because JSON has none, but another charset would be decoded
 * wrongly.
 */
export function isJsonType(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map(part => part.trim())
  return jsonMediaType.test(type!) && !parameters.some(parameter => otherCharset.test(parameter))
}

/** Ends a message such as `Send the body as JSON, not`. */
export const typeSent = (contentType: string | undefined): string =>
  contentType === undefined ? 'without a Content-Type' : `as ${contentType}`

export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      `Content-Encoding ${encoding} is not supported; send the body uncompressed`,
    )
}

/** Finds texts that may contain such a number; most do not, and need not be parsed again. */
const suspicious = /\d{16}|[eE]\+?\d{3}/

/** Keywords of JSON Schema for the bounds of a number. */
const schemaBound = /^(?:exclusive)?(?:maximum|minimum)$/i

const inexact = Symbol('inexact number')

function findInexact(value: unknown, pointer: string): string | undefined {
  if (value === inexact) return pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = findInexact(inner, `${pointer}/${pointerSegment(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Rejects numbers in free-form members that could not be returned as sent: those beyond the range of a double, and
 * integers beyond 2^53, whose last digits would change.
 */
export function refuseInexact(members: ReadonlyMap<string, JsonMember>, names: readonly string[]): void {
  for (const name of names) {
    const text = members.get(name)?.text
    if (text === undefined || !suspicious.test(text)) continue
    const read: unknown = JSON.parse(text, (key, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number' || (name === 'parameters' && schemaBound.test(key))) return value
      return Number.isFinite(value) && !hasLostDigits(value, context?.source) ? value : inexact
    })
    const found = findInexact(read, `/${name}`)
    if (found !== undefined)
      throw invalidField(found, 'is a number that cannot be stored exactly; send it as a string')
  }
}
