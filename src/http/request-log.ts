import type { IncomingHttpHeaders } from 'node:http'
import type { TokenRecord } from '../access/access-store.ts'
import { limits } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { randomText } from '../kernel/random-text.ts'

const visibleAscii = new RegExp(`^[\\x21-\\x7e]{1,${limits.traceIdLength}}$`)
const traceParent = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/** The client's `X-TraceId` if it is valid, else the trace id of `traceparent`, else a random one. */
export function traceIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-traceid']
  if (typeof sent === 'string' && visibleAscii.test(sent)) return sent
  const parent = headers['traceparent']
  const id = typeof parent === 'string' ? traceParent.exec(parent)?.[1] : undefined
  return id ?? randomText(16, 'hex')
}

/** What the log and the metrics record of a request. */
export interface RecordedRequest {
  token: TokenRecord | undefined
  method: string
  operation: Operation | undefined
  traceId: string
  startedAt: number
}

/** In the format of the logger; by hand, because every request pays for it and a logger takes ten times as long. */
export function requestLine(request: RecordedRequest, status: number, milliseconds: number): string {
  const { token, method, operation } = request
  const caller = token ? `,"workspace_id":"${token.workspaceId}","token_id":"${token.id}"` : ''
  // Only the trace id comes from the client; two characters of visible ASCII need escaping.
  const traceId = /["\\]/.test(request.traceId) ? JSON.stringify(request.traceId) : `"${request.traceId}"`
  const rounded = Math.round(milliseconds * 100) / 100
  return `{"level":30,"time":${Date.now()},"pid":${process.pid},"trace_id":${traceId},"operation":"${operation?.name ?? 'unknown'}","method":"${method}","status":${status},"ms":${rounded}${caller}}\n`
}

const batchBytes = 32_768
/** Longer than any line: the trace id is bounded, the rest has a fixed form. */
const lineBytes = 1024
const batchMilliseconds = 100

/** Batches, because a write costs more than the formatting; as bytes, because a growing string becomes a tree. */
export class LineBatch {
  readonly #write: (lines: string) => void
  readonly #bytes = Buffer.allocUnsafe(batchBytes + lineBytes)
  #used = 0
  #timer: NodeJS.Timeout | undefined

  constructor(write: (lines: string) => void) {
    this.#write = write
  }

  /** The line must be ASCII. */
  add(line: string): void {
    this.#used += this.#bytes.write(line, this.#used, 'latin1')
    if (this.#used > batchBytes) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), batchMilliseconds).unref()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#bytes.toString('latin1', 0, this.#used)
    this.#used = 0
    if (lines !== '') this.#write(lines)
  }
}
