import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Duplex, pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import type { StreamedBody } from '../../tools/http-client.ts'
import { EgressFailure, type EgressFailureKind } from './egress.ts'
import type { Hop } from './hop.ts'

export interface Message {
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | StreamedBody | undefined
  connectMilliseconds: number
  idleMilliseconds: number
  maxBytes: number
  /** Aborted at the total timeout, or by the caller. */
  signal: AbortSignal
}

const maxHeaderBytes = 32 << 10

/** A keep-alive connection broke on reuse: the server had closed it and has not seen the request. */
export class StaleConnection extends EgressFailure {}

/** Node refuses at once what HTTP cannot express, such as a line break in a header. */
function open(hop: Hop, { method, headers, body, signal }: Message, agent: http.Agent): ClientRequest {
  try {
    return (hop.url.protocol === 'https:' ? https : http).request({
      // The parts and not the URL: it has been parsed, and a second parser might read it differently.
      host: hop.host,
      port: hop.port,
      path: hop.url.pathname + hop.url.search,
      method,
      headers: {
        ...headers,
        host: hop.url.host,
        // Node adds it only for methods that usually have a body.
        ...(body !== undefined && { 'content-length': String(lengthOf(body)) }),
      },
      lookup: hop.lookup,
      agent,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      signal,
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
export async function exchange(hop: Hop, message: Message, agent: http.Agent): Promise<IncomingMessage> {
  const { signal } = message
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = open(hop, message, agent)
  const unwatch = watchTimeouts(request, hop, message)
  const fail = (error: Error): void => {
    unwatch()
    const failure = toEgressFailure(error, hop.url.host)
    if (signal.aborted) reject(signal.reason)
    else if (request.reusedSocket && failure !== error)
      reject(new StaleConnection('unreachable', brokenOff(hop.url.host)))
    else reject(failure)
  }
  request.on('error', fail)
  // After a switch to another protocol, which was not asked for, there is neither an error nor a response.
  const closed = (): void => fail(new EgressFailure('bad_answer', `${hop.url.host} did not respond in HTTP`))
  request.on('close', closed)
  request.on('response', response => {
    unwatch()
    request.off('close', closed)
    // Without a listener an error before the body is read would end the process.
    response.on('error', () => {})
    resolve(response)
  })
  if (isStreamed(message.body)) stream(message.body, request, reject)
  else request.end(message.body)
  return promise
}

const isStreamed = (body: Message['body']): body is StreamedBody =>
  typeof body === 'object' && !(body instanceof Uint8Array)

const lengthOf = (body: NonNullable<Message['body']>): number =>
  isStreamed(body) ? body.size : Buffer.byteLength(body)

/** `failed` gets the error of the source: the request itself would only report a broken connection. */
function stream(body: StreamedBody, request: ClientRequest, failed: (error: unknown) => void): void {
  const source = Readable.from(body.read(), { objectMode: false })
  source.once('error', failed)
  pipeline(source, request, () => {})
}

const hasBody = (response: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' &&
  response.statusCode !== 204 &&
  response.statusCode !== 304 &&
  response.headers['content-length'] !== '0'

function decompressorOf(response: IncomingMessage, method: string, host: string): Duplex | undefined {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity' || !hasBody(response, method)) return undefined
  if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate') return createUnzip()
  if (encoding === 'br') return createBrotliDecompress()
  // Several encodings at once are only used to build decompression bombs.
  throw new EgressFailure('bad_answer', `${host} compressed its response in an unsupported way`)
}

/** The body, decompressed and within its limits. It fails with an `EgressFailure` or the signal's reason. */
export function responseBody(
  response: IncomingMessage,
  { method, idleMilliseconds, maxBytes, signal }: Message,
  host: string,
  onEnd: () => void,
): Readable {
  const tooLarge = (): EgressFailure =>
    new EgressFailure('too_large', `The response of ${host} is larger than ${maxBytes} bytes`)
  if (method !== 'HEAD' && Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const decompressor = decompressorOf(response, method, host)
  const idleTimer = setTimeout(() => {
    // A slow reader does not count as a silent sender.
    if (body.readableLength > 0) idleTimer.refresh()
    else body.destroy(new EgressFailure('timed_out', `${host} stopped in the middle of its response`))
  }, idleMilliseconds)
  const source = decompressor ? response.pipe(decompressor) : response
  // Not a Transform at the end of a `pipeline`: both keep all of an exchange in memory until the next full garbage
  // collection, which makes the small ones in between take tens of milliseconds.
  const body = new Readable({
    read: () => void source.resume(),
    destroy: (error, done) => done(error && (signal.aborted ? signal.reason : toEgressFailure(error, host))),
  })
  const count = (max: number) => {
    let bytes = 0
    return (chunk: Buffer): void => {
      bytes += chunk.length
      idleTimer.refresh()
      if (bytes > max) body.destroy(tooLarge())
    }
  }
  // Compressed bytes count too: an endless stream can be compressed so that it decompresses to nothing.
  if (decompressor) response.on('data', count(maxBytes + 1024))
  source.on('data', count(maxBytes)).on('data', (chunk: Buffer) => {
    if (!body.push(chunk)) source.pause()
  })
  const abort = (): void => void body.destroy(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const settle = (): void => {
    clearTimeout(idleTimer)
    signal.removeEventListener('abort', abort)
    onEnd()
  }
  source.on('end', () => {
    settle()
    body.push(null)
  })
  for (const stream of [response, source]) stream.on('error', error => body.destroy(error))
  body.once('close', () => {
    settle()
    // The connection of a half-read response cannot be reused.
    if (!response.readableEnded) response.destroy()
    decompressor?.destroy()
  })
  // An error before the body is read must wait for the reader, not end the process.
  body.on('error', () => {})
  return body
}

const brokenOff = (host: string): string =>
  `The connection to ${host} broke off before the response was complete`

/** Errors of Node's network, HTTP parser and decompression code, by their code; the first that matches counts. */
const nodeErrors: [code: RegExp, EgressFailureKind, message: (host: string, code: string) => string][] = [
  [/^HPE_HEADER_OVERFLOW$/, 'too_large', host => `${host} responded with headers that are too large`],
  [/^HPE_/, 'bad_answer', host => `${host} did not respond in HTTP`],
  [/^Z_|BROTLI|^ERR__ERROR_/, 'bad_answer', host => `The compressed response of ${host} is damaged`],
  [
    /^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|HTTP_INVALID_HEADER_VALUE|UNESCAPED_CHARACTERS)$/,
    'blocked',
    host => `The request to ${host} has a method or a header with characters that HTTP does not allow`,
  ],
  [/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'unreachable', brokenOff],
  [/^/, 'unreachable', (host, code) => `${host} could not be reached${code ? ` (${code})` : ''}`],
]

function toEgressFailure(error: unknown, host: string): EgressFailure {
  if (error instanceof EgressFailure) return error
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '')
  const [, kind, message] = nodeErrors.find(([pattern]) => pattern.test(code))!
  return new EgressFailure(kind, message(host, code))
}
