import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawAnswer {
  status: number
  /** Names in lower case; the last of a repeated one. */
  headers: Record<string, string>
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
  json: any
}

const headEnd = Buffer.from('\r\n\r\n')
const defaultWaitMilliseconds = 15_000

const bodyless = (status: number): boolean => status < 200 || status === 204 || status === 304

/** The bytes of a chunked body and its length on the wire; undefined while it is incomplete. */
function readChunks(bytes: Buffer): { body: Buffer; length: number } | undefined {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) return undefined
    at = start + size + 2
    if (size === 0) return { body: Buffer.concat(chunks), length: at }
    chunks.push(bytes.subarray(start, start + size))
  }
}

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The first complete response in `bytes`; one without a length extends to the end of the connection. */
function readAnswer(
  bytes: Buffer,
  ended: boolean,
  toHead: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1])
  if (Number.isNaN(status)) throw new Error(`Not an answer: ${JSON.stringify(statusLine)}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const start = end + headEnd.length
  const rest = bytes.subarray(start)
  const finish = (body: Buffer, length: number) => ({
    answer: { status, headers, body, json: parsed(body) },
    length: start + length,
  })
  if (toHead || bodyless(status)) return finish(Buffer.alloc(0), 0)
  if (headers['transfer-encoding'] === 'chunked') {
    const chunked = readChunks(rest)
    return chunked && finish(chunked.body, chunked.length)
  }
  if (headers['content-length'] !== undefined) {
    const length = Number(headers['content-length'])
    return rest.length < length ? undefined : finish(rest.subarray(0, length), length)
  }
  return ended ? finish(rest, rest.length) : undefined
}

/** A connection that sends exactly the given bytes, valid or not. */
export class RawConnection {
  readonly socket: Socket
  #received: Buffer[] = []
  #ended = false
  #wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    const end = (): void => {
      this.#ended = true
      this.#wake()
    }
    socket.on('data', chunk => {
      this.#received.push(chunk)
      this.#wake()
    })
    // A reset counts as an end; tests check what was received before.
    socket.on('end', end).on('close', end).on('error', end)
  }

  static async open(base: string): Promise<RawConnection> {
    const { hostname, port } = new URL(base)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  /** Resolves when the bytes have left this process, or no longer can. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise(resolve => {
      if (!this.socket.writable) return resolve()
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes, () => resolve())
    })
  }

  /** The next response, or undefined when the server closed the connection without one. */
  async answer(
    options: { toHead?: boolean; waitMilliseconds?: number } = {},
  ): Promise<RawAnswer | undefined> {
    const { toHead = false, waitMilliseconds = defaultWaitMilliseconds } = options
    const giveUpAt = performance.now() + waitMilliseconds
    for (;;) {
      const bytes = Buffer.concat(this.#received)
      this.#received = [bytes]
      const found = readAnswer(bytes, this.#ended, toHead)
      if (found) {
        this.#received = [bytes.subarray(found.length)]
        return found.answer
      }
      if (this.#ended) return undefined
      if (performance.now() > giveUpAt)
        throw new Error(`No answer after ${waitMilliseconds} ms; received: ${bytes.toString('latin1')}`)
      await this.#change(giveUpAt - performance.now())
    }
  }

  /** Whether the server closes the connection within the time. */
  async ends(waitMilliseconds = defaultWaitMilliseconds): Promise<boolean> {
    const giveUpAt = performance.now() + waitMilliseconds
    while (!this.#ended && performance.now() < giveUpAt) await this.#change(giveUpAt - performance.now())
    return this.#ended
  }

  /** What was received after the last response that was read. */
  get rest(): string {
    return Buffer.concat(this.#received).toString('latin1')
  }

  /** Half-closes the connection. */
  end(): void {
    this.socket.end()
  }

  close(): void {
    this.socket.destroy()
  }

  #change(milliseconds: number): Promise<unknown> {
    const stop = new AbortController()
    return Promise.race([
      new Promise<void>(resolve => {
        this.#wake = resolve
      }),
      sleep(milliseconds + 1, undefined, { signal: stop.signal }).catch(() => {}),
    ]).finally(() => stop.abort())
  }
}

/** Sends one request, byte for byte, and returns its response. */
export async function rawRequest(
  base: string,
  bytes: string | Uint8Array,
  options: { toHead?: boolean; waitMilliseconds?: number } = {},
): Promise<RawAnswer | undefined> {
  const connection = await RawConnection.open(base)
  try {
    const sent = connection.send(bytes)
    const answer = await connection.answer(options)
    await Promise.race([sent, sleep(100)])
    return answer
  } finally {
    connection.close()
  }
}

/** The head of a request: request line and headers, in order, nothing added. */
export const requestHead = (line: string, headers: readonly (readonly [string, string])[]): string =>
  `${line} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
