import { type Agent, request } from 'node:http'

export interface StreamRequest {
  port: number
  token: string
  path: string
  /** JSON. */
  body: string
}

const stamp = /@(\d+);/g
/** The proper end of a stream: of a run, of a turn, or of the provider. */
const endings = ['event: run.finished', 'event: end', 'data: [DONE]']
/** Characters kept from the last chunk: more than a stamp or an ending has. */
const kept = 64

/**
 * Reads the response until its end. `onPiece` is called once for every piece that the provider wrote, with its delay in
 * milliseconds.
 */
export function readStream(
  agent: Agent,
  { port, token, path, body }: StreamRequest,
  onPiece: (milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0n
    let rest = ''
    let isWhole = false
    const take = (chunk: string): void => {
      const now = process.hrtime.bigint()
      const text = rest + chunk
      // The end repeats the whole text, so only stamps newer than the last piece count.
      for (const [, digits] of text.matchAll(stamp)) {
        const writtenAt = BigInt(digits!)
        if (writtenAt <= seen) continue
        seen = writtenAt
        onPiece(Number(now - writtenAt) / 1e6)
      }
      isWhole ||= endings.some(ending => text.includes(ending))
      rest = text.slice(-kept)
    }
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers })
      .on('error', reject)
      .on('response', answer => {
        if (answer.statusCode !== 200) reject(new Error(`A stream was answered with ${answer.statusCode}`))
        answer
          .setEncoding('utf8')
          .on('data', take)
          .on('error', reject)
          .on('end', () => (isWhole ? resolve() : reject(new Error(`A stream broke off: ${rest}`))))
      })
      .end(body)
  })
}
