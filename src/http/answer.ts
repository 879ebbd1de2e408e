import type { Readable } from 'node:stream'

/** An answer that is not simply data in an envelope. The body is sent as it is. */
export class Answer {
  readonly status: number
  readonly headers: Record<string, string | number>
  readonly body: string | Uint8Array | Readable | undefined

  constructor(
    status: number,
    headers: Record<string, string | number>,
    body?: string | Uint8Array | Readable,
  ) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export const jsonType = 'application/json; charset=utf-8'

/** Puts JSON text that is already written into a success envelope. */
export type Envelope = (data: string) => string

export const successText: Envelope = data => `{"code":0,"message":"success","data":${data}}`

/** The fields of an object beside `code` and `msg`. */
export const flatSuccessText: Envelope = data =>
  data === '{}' ? '{"code":0,"msg":"success"}' : `{"code":0,"msg":"success",${data.slice(1)}`

/**
 * The success envelope around data that holds JSON which is already written, as bytes, in one place.
 * `before` must be ASCII.
 */
export function successAround(before: string, json: Uint8Array, after: string): Buffer {
  const head = `{"code":0,"message":"success","data":${before}`
  // No character takes more than three bytes for each of its code units.
  const answer = Buffer.allocUnsafe(head.length + json.length + after.length * 3 + 1)
  answer.write(head, 0, 'latin1')
  answer.set(json, head.length)
  const end = head.length + json.length
  return answer.subarray(0, end + answer.write(`${after}}`, end))
}
