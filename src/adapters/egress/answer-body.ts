import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { decoderFor } from './decoder-for.ts'
import { EgressFailure, toEgressFailure } from './egress-failure.ts'
import type { Lifetime } from './lifetime.ts'

interface Limits {
  maxBytes: number
  idleMilliseconds: number
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
    else
      done(
        new EgressFailure('too_large', `The answer of ${this.#host} is larger than ${this.#maxBytes} bytes`),
      )
  }
}

/** The end of the line: whatever broke before it, the reader gets an error in our words. */
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

/** Fails the body when nothing arrives for too long; a reader that takes its time is not the sender's silence. */
function watchSilence(source: ByteCount, body: Body, host: string, idleMilliseconds: number): () => void {
  let timer: NodeJS.Timeout
  const check = (): void => {
    if (body.readableLength > 0) arm()
    else body.destroy(new EgressFailure('timed_out', `${host} stopped in the middle of its answer`))
  }
  const arm = (): void => {
    clearTimeout(timer)
    timer = setTimeout(check, idleMilliseconds)
  }
  arm()
  source.onChunk = arm
  return () => clearTimeout(timer)
}

/** The body of an answer, unpacked and within its limits. The lifetime ends with it. */
export function answerBody(
  response: IncomingMessage,
  method: string,
  host: string,
  limits: Limits,
  life: Lifetime,
): Readable {
  const decoder = decoderFor(response, method, host)
  // Packed bytes count too: a stream can be packed so that it unpacks to nothing for ever.
  const packed = new ByteCount(host, limits.maxBytes + 1024)
  const body = new Body(host, limits.maxBytes, error =>
    life.signal.aborted ? life.reason() : toEgressFailure(error, host),
  )
  // An error before anybody reads must wait for the reader, not end the process.
  body.on('error', () => {})
  const unwatch = watchSilence(packed, body, host, limits.idleMilliseconds)
  const stop = (): void => {
    body.destroy(life.reason())
  }
  life.signal.addEventListener('abort', stop, { once: true })
  pipeline([response, packed, ...decoder, body], () => {
    unwatch()
    life.signal.removeEventListener('abort', stop)
    life.end()
    // A half-read answer cannot be followed by another on its connection.
    if (!response.complete) response.destroy()
  })
  if (life.signal.aborted) stop()
  return body
}
