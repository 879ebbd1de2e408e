import type { Readable } from 'node:stream'

/** A response that is not simply data in an envelope. The body is sent as is. */
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

/** Headers of a JSON response that must not be cached. */
export const jsonHeaders = { 'content-type': jsonType, 'cache-control': 'no-store' }

/** Wraps serialized JSON in a success envelope. */
export type Envelope = (data: string) => string

export const successText: Envelope = data => `{"code":0,"message":"success","data":${data}}`

/** The fields of an object next to `code` and `msg`. */
export const flatSuccessText: Envelope = data =>
  data === '{}' ? '{"code":0,"msg":"success"}' : `{"code":0,"msg":"success",${data.slice(1)}`

/** The success envelope around data that contains one serialized value as bytes. */
export function successAround(before: string, json: Uint8Array, after: string): Buffer {
  const head = `{"code":0,"message":"success","data":${before}`
  return Buffer.concat([Buffer.from(head), json, Buffer.from(`${after}}`)])
}

/** Serialized JSON that is sent as is: parsing it would cost time and change large numbers. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const jsonOf = (value: unknown): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value)

/** An object that may contain serialized members. */
export function jsonObject(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`)
  return new JsonText(`{${texts.join(',')}}`)
}

/** JSON from a store, or null. */
export const jsonOrNull = (text: string | undefined): JsonText => new JsonText(text ?? 'null')

/** A page of the server itself, which loads nothing and runs no script. */
export const htmlAnswer = (html: string): Answer =>
  new Answer(
    200,
    {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
    html,
  )
