import type { Readable } from 'node:stream'

/** An answer that is not simply data in an envelope. The body is sent as it is. */
export class Answer {
  readonly status: number
  readonly headers: Record<string, string | number>
  readonly body: string | Readable | undefined

  constructor(status: number, headers: Record<string, string | number>, body?: string | Readable) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export const jsonType = 'application/json; charset=utf-8'

/** The success envelope around JSON text that is already written. */
export const successText = (data: string): string => `{"code":0,"message":"success","data":${data}}`
