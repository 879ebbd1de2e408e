import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface FuzzAnswer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  milliseconds: number
}

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

/** A run may call a model that a request configured, with all its retries. */
export const answerMilliseconds = 60_000

/** Sends requests over a few kept connections, without the normalization of fetch. */
export class Sender {
  readonly #base: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })

  constructor(base: string) {
    this.#base = new URL(base)
  }

  async send(sent: Sent): Promise<FuzzAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(sent)
      } catch (error) {
        // The server may close a kept connection at the moment it is reused; that is not an error.
        const { reused, code } = error as { reused?: boolean; code?: string }
        if (attempt === 3 || !reused || code !== 'ECONNRESET') throw error
      }
    }
  }

  #once({ method, path, headers, body }: Sent): Promise<FuzzAnswer> {
    const startedAt = performance.now()
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#base
      const outgoing = request({ hostname, port, method, path, headers, agent: this.#agent })
      const timer = setTimeout(
        () => outgoing.destroy(new Error(`No answer within ${answerMilliseconds} ms`)),
        answerMilliseconds,
      )
      const fail = (error: Error): void => {
        clearTimeout(timer)
        reject(Object.assign(error, { reused: outgoing.reusedSocket }))
      }
      outgoing.on('error', fail)
      outgoing.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          clearTimeout(timer)
          const { statusCode = 0, headers: received } = response
          const milliseconds = performance.now() - startedAt
          resolve({ status: statusCode, headers: received, bytes: Buffer.concat(chunks), milliseconds })
        })
      })
      // Sent with a length even if it is empty, as clients do.
      if (body) outgoing.setHeader('content-length', body.length)
      outgoing.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
