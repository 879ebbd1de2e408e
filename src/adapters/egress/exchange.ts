import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Duplex, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { EgressFailure, StaleConnection } from './egress.ts'
import type { Hop } from './hop.ts'

export interface Message {
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  connectMilliseconds: number
  idleMilliseconds: number
}

const maxHeaderBytes = 32 << 10

/** The deadline of one call: its total timeout, or the caller's signal. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #caller: AbortSignal | undefined
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason)

  constructor(host: string, totalMilliseconds: number, caller: AbortSignal | undefined) {
    this.#caller = caller
    this.#timer = setTimeout(
      () => this.#controller.abort(new EgressFailure('timed_out', `${host} took longer than allowed`)),
      totalMilliseconds,
    )
    if (caller?.aborted) this.#onAbort()
    caller?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why it was aborted, as an error. */
  reason(): Error {
    const { reason } = this.signal
    return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError')
  }

  /** Must be called when the call is over, or its timer and listener leak. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }
}

/** Node refuses at once what HTTP cannot express, such as a line break in a header. */
function open(hop: Hop, message: Message, agent: http.Agent): ClientRequest {
  try {
    return (hop.url.protocol === 'https:' ? https : http).request({
      // The parts and not the URL: it has been parsed, and a second parser might read it differently.
      host: hop.host,
      port: hop.port,
      path: hop.url.pathname + hop.url.search,
      method: message.method,
      headers: { ...message.headers, host: hop.url.host },
      lookup: hop.lookup,
      agent,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
    })
  } catch (error) {
    throw toEgressFailure(error, hop.url.host)
  }
}

/** Destroys the request when it takes too long to connect, or to respond from then on. */
function watchTimeouts(request: ClientRequest, hop: Hop, message: Message): () => void {
  const { host } = hop.url
  const fail = (text: string): void => {
    request.destroy(new EgressFailure('timed_out', text))
  }
  let timer = setTimeout(fail, message.connectMilliseconds, `${host} could not be reached in time`)
  const connected = (): void => {
    clearTimeout(timer)
    timer = setTimeout(fail, message.idleMilliseconds, `${host} did not respond in time`)
  }
  request.once('socket', (socket: Socket) => {
    if (!socket.connecting) connected()
    else socket.once(hop.url.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
  })
  return () => clearTimeout(timer)
}

/** Sends one request and resolves as soon as the response headers are there. Follows no redirect. */
export async function exchange(
  hop: Hop,
  message: Message,
  agent: http.Agent,
  deadline: Deadline,
): Promise<IncomingMessage> {
  if (deadline.signal.aborted) throw deadline.reason()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = open(hop, message, agent)
  const unwatch = watchTimeouts(request, hop, message)
  const abort = (): void => {
    request.destroy(deadline.reason())
  }
  deadline.signal.addEventListener('abort', abort, { once: true })
  const settle = (): void => {
    unwatch()
    deadline.signal.removeEventListener('abort', abort)
  }
  request.on('error', error => {
    settle()
    if (deadline.signal.aborted) return reject(deadline.reason())
    const isStale = request.reusedSocket && !(error instanceof EgressFailure)
    reject(isStale ? new StaleConnection(hop.url.host) : toEgressFailure(error, hop.url.host))
  })
  request.on('response', response => {
    settle()
    // Without a listener an error before the body is read would end the process.
    response.on('error', () => {})
    resolve(response)
  })
  request.end(message.body)
  return promise
}

/** Passes bytes on until there are too many. */
class ByteCount extends Transform {
  #bytes = 0
  readonly #maxBytes: number
  readonly #host: string
  /** Called with every chunk. A listener for `data` would start the flow before there is a reader. */
  onChunk = (): void => {}

  constructor(host: string, maxBytes: number) {
    super()
    this.#host = host
    this.#maxBytes = maxBytes
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#bytes += chunk.length
    this.onChunk()
    if (this.#bytes <= this.#maxBytes) done(null, chunk)
    else done(tooLarge(this.#host, this.#maxBytes))
  }
}

export const tooLarge = (host: string, maxBytes: number): EgressFailure =>
  new EgressFailure('too_large', `The response of ${host} is larger than ${maxBytes} bytes`)

/** The last stream: whatever failed before it, its reader gets an `EgressFailure` or the abort reason. */
class Body extends ByteCount {
  readonly #translate: (error: Error) => Error

  constructor(host: string, maxBytes: number, translate: (error: Error) => Error) {
    super(host, maxBytes)
    this.#translate = translate
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error && this.#translate(error))
  }
}

/** Fails the body when nothing arrives for too long. A slow reader does not count as a silent sender. */
function watchSilence(source: ByteCount, body: Body, host: string, idleMilliseconds: number): () => void {
  let timer: NodeJS.Timeout
  const check = (): void => {
    if (body.readableLength > 0) arm()
    else body.destroy(new EgressFailure('timed_out', `${host} stopped in the middle of its response`))
  }
  const arm = (): void => {
    clearTimeout(timer)
    timer = setTimeout(check, idleMilliseconds)
  }
  arm()
  source.onChunk = arm
  return () => clearTimeout(timer)
}

const hasBody = (response: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' &&
  response.statusCode !== 204 &&
  response.statusCode !== 304 &&
  response.headers['content-length'] !== '0'

/** The streams that decompress a body: none, or one. */
function decompressors(response: IncomingMessage, method: string, host: string): Duplex[] {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity' || !hasBody(response, method)) return []
  if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate') return [createUnzip()]
  if (encoding === 'br') return [createBrotliDecompress()]
  // Several encodings at once are only used to build decompression bombs.
  throw new EgressFailure('bad_answer', `${host} compressed its response in an unsupported way`)
}

/** The body of a response, decompressed and within its limits. The deadline is cleared with it. */
export function responseBody(
  response: IncomingMessage,
  { method, idleMilliseconds }: Message,
  host: string,
  maxBytes: number,
  deadline: Deadline,
): Readable {
  const decompress = decompressors(response, method, host)
  // Compressed bytes count too: an endless stream can be compressed so that it decompresses to nothing.
  const received = new ByteCount(host, maxBytes + 1024)
  const body = new Body(host, maxBytes, error =>
    deadline.signal.aborted ? deadline.reason() : toEgressFailure(error, host),
  )
  // An error before the body is read must wait for the reader, not end the process.
  body.on('error', () => {})
  const unwatch = watchSilence(received, body, host, idleMilliseconds)
  const abort = (): void => {
    body.destroy(deadline.reason())
  }
  deadline.signal.addEventListener('abort', abort, { once: true })
  pipeline([response, received, ...decompress, body], () => {
    unwatch()
    deadline.signal.removeEventListener('abort', abort)
    deadline.clear()
    // The connection of a half-read response cannot be reused.
    if (!response.complete) response.destroy()
  })
  if (deadline.signal.aborted) abort()
  return body
}

const unsendable = new Set([
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_UNESCAPED_CHARACTERS',
])

/** Translates errors of Node's network, HTTP parser and decompression code. */
function toEgressFailure(error: unknown, host: string): EgressFailure {
  if (error instanceof EgressFailure) return error
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '')
  if (code === 'HPE_HEADER_OVERFLOW')
    return new EgressFailure('too_large', `${host} responded with headers that are too large`)
  if (code.startsWith('HPE_')) return new EgressFailure('bad_answer', `${host} did not respond in HTTP`)
  if (code.startsWith('Z_') || code.includes('BROTLI') || code.startsWith('ERR__ERROR_'))
    return new EgressFailure('bad_answer', `The compressed response of ${host} is damaged`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new EgressFailure('unreachable', `The name ${host} could not be resolved: check its spelling`)
  if (unsendable.has(code))
    return new EgressFailure(
      'blocked',
      `The request to ${host} has a method or a header with characters that HTTP does not allow`,
    )
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return brokenOff(host)
  return new EgressFailure('unreachable', `${host} could not be reached${code ? ` (${code})` : ''}`)
}

const brokenOff = (host: string): EgressFailure =>
  new EgressFailure('unreachable', `The connection to ${host} broke off before the response was complete`)
