import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgress } from '../adapters/egress/create-egress.ts'
import {
  EgressFailure,
  type EgressRequest,
  type EgressResponse,
  readJson,
} from '../adapters/egress/egress.ts'

/** The server understood and said no; the message is its own. */
export class ServerRefusal extends Error {
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

interface Envelope {
  code?: number
  message?: string
  data?: { reason?: string }
}

interface Wish {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  json?: unknown
  bytes?: Uint8Array
  signal: AbortSignal
  /** Tries in all; a server that restarts is back by the last one. */
  tries?: number
}

const patientTries = 6
const answerMilliseconds = 60_000
const slowestBytesPerMillisecond = 32
const mayPass = new Set([429, 502, 503, 504])

/** Calls the HTTP interface of a server that runs, here or elsewhere. */
export class ServerClient {
  readonly #egress = createEgress({ allow: [] })
  readonly server: string
  readonly #token: string

  constructor(server: string, token: string) {
    this.server = server
    this.#token = token
  }

  /** `data` of the answer. Tries again what may pass: a server that is busy, restarts or cannot be reached. */
  async call<Data>(wish: Wish): Promise<Data> {
    const request = this.#request(wish)
    const tries = wish.tries ?? patientTries
    for (let tried = 1; ; tried++) {
      const answer = await this.#try(wish, request, tried === tries)
      if (answer) return (await dataOf(answer)) as Data
      await sleep(500 * 2 ** (tried - 1), undefined, { signal: wish.signal }).catch(() => {
        throw wish.signal.reason
      })
    }
  }

  close(): void {
    this.#egress.close()
  }

  /** Undefined where another try may help. */
  async #try(wish: Wish, request: EgressRequest, isLast: boolean): Promise<EgressResponse | undefined> {
    const query = new URLSearchParams(wish.query)
    const url = `${this.server}${wish.path}${wish.query ? `?${query}` : ''}`
    try {
      const answer = await this.#egress.request(url, request)
      if (isLast || !mayPass.has(answer.status)) return answer
      answer.body.destroy()
      return undefined
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error
      const isPassing = error.kind === 'unreachable' || error.kind === 'timed_out'
      if (isPassing && !isLast) return undefined
      throw new Error(
        `The server ${this.server} does not answer: ${error.message}. Start it with npm start, or name another one with --server.`,
      )
    }
  }

  #request({ method, json, bytes, signal }: Wish): EgressRequest {
    // The silence of the server counts from the connection on, and lasts as long as the body is on its way.
    const milliseconds = answerMilliseconds + Math.ceil((bytes?.length ?? 0) / slowestBytesPerMillisecond)
    return {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(bytes && { 'content-type': 'application/octet-stream' }),
        // With it nothing is made twice when an answer is lost and the call is sent again.
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(bytes && { body: bytes }),
      signal,
      timeouts: { idleMilliseconds: milliseconds, totalMilliseconds: milliseconds },
      trusted: true,
    }
  }
}

async function dataOf(answer: EgressResponse): Promise<unknown> {
  const { host } = new URL(answer.url)
  const envelope = (await readJson(answer).catch(error => {
    if (error instanceof EgressFailure && error.kind === 'bad_answer') return undefined
    throw error
  })) as Envelope | null | undefined
  if (typeof envelope?.code !== 'number')
    throw new Error(`What answers at ${host} is not a Banyan server (status ${answer.status})`)
  if (envelope.code === 0) return envelope.data
  throw new ServerRefusal(envelope.data?.reason ?? '', envelope.message ?? `${host} refused the call`)
}
