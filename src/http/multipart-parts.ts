import { AppError } from '../kernel/app-error.ts'
import { fileNameFrom } from './content-disposition.ts'

export interface Part {
  /** Name of the form's field. */
  name: string | undefined
  /** Undefined for a part that is no file. */
  fileName: string | undefined
}

export const brokenUpload = (message: string, cause?: unknown): AppError =>
  new AppError('malformed_upload', message, { errors: [{ path: '/file', message }], cause })

const lineEnd = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')
const closing = Buffer.from('--')
const mostHeaderBytes = 16 << 10
const mostHeaderLines = 50

/** The boundary of a multipart Content-Type: 1 to 70 characters (RFC 2046). */
export function multipartBoundary(contentType: string): string {
  const [, quoted, bare] =
    contentType.length > 256
      ? []
      : (/^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))/i.exec(
          contentType,
        ) ?? [])
  const boundary = quoted ?? bare
  if (boundary === undefined || boundary.length > 70)
    throw brokenUpload(
      'The Content-Type must be multipart/form-data with a boundary of at most 70 characters',
    )
  return boundary
}

/** Browsers write a quote as %22 and leave backslashes alone; some clients write \" for a quote. */
const fieldParameter = (header: string, key: string): string | undefined =>
  new RegExp(`;[ \\t]*${key}[ \\t]*=[ \\t]*"((?:\\\\"|[^"])*)"`, 'i')
    .exec(header)?.[1]
    ?.replaceAll('\\"', '"')

/** Header bytes stand here as Latin-1; broken UTF-8 shows as U+FFFD, which no file name may hold. */
const decodeUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

function partOf(headers: string): Part {
  const lines = headers.split('\r\n').filter(line => line !== '')
  if (lines.length > mostHeaderLines || lines.some(line => !/^[!-9;-~]+:/.test(line)))
    throw brokenUpload('A part of the multipart body has broken headers')
  const disposition = lines.find(line => /^content-disposition:/i.test(line))?.replace(/^[^:]*:/, '')
  if (disposition === undefined) throw brokenUpload('A part of the multipart body has no Content-Disposition')
  const plain = fieldParameter(disposition, 'filename')
  const name = fieldParameter(disposition, 'name')
  const fileName = /;[ \t]*filename\*[ \t]*=/i.test(disposition)
    ? (fileNameFrom(disposition) ?? '')
    : plain === undefined
      ? undefined
      : decodeUtf8(plain).replaceAll('%22', '"')
  return { name: name === undefined ? undefined : decodeUtf8(name), fileName }
}

/**
 * The parts of a multipart body, one after the other, as they stream in. What is held at any time is one chunk of
 * the body and what might be the beginning of a boundary.
 */
export class MultipartParts {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #delimiter: Buffer
  /** The first boundary has no line before it; with this it looks like every other. */
  #held: Buffer = lineEnd

  constructor(source: AsyncIterator<Uint8Array>, boundary: string) {
    this.#source = source
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** The next part, whose content is to be read before the next one is asked for; undefined after the last. */
  async next(): Promise<Part | undefined> {
    while (this.#held.length < 2) await this.#more()
    if (this.#held.subarray(0, 2).equals(closing)) return undefined
    let end = this.#held.indexOf(headersEnd)
    while (end === -1) {
      if (this.#held.length > mostHeaderBytes)
        throw brokenUpload('A part of the multipart body has too long headers')
      await this.#more()
      end = this.#held.indexOf(headersEnd)
    }
    // The rest of the boundary's own line may hold nothing but white space.
    const firstLineEnd = this.#held.indexOf(lineEnd)
    if (!/^[ \t]*$/.test(this.#held.toString('latin1', 0, firstLineEnd)) || end > mostHeaderBytes)
      throw brokenUpload('A boundary of the multipart body is broken')
    const headers = this.#held.toString('latin1', firstLineEnd, end)
    // An empty content begins with the line end that belongs to the next boundary.
    this.#held = this.#held.subarray(end + headersEnd.length)
    return partOf(headers)
  }

  /** The content up to the next boundary; also what stands before the first one. */
  async *content(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = this.#held.indexOf(this.#delimiter)
      if (end !== -1) {
        const last = this.#held.subarray(0, end)
        this.#held = this.#held.subarray(end + this.#delimiter.length)
        if (last.length > 0) yield last
        return
      }
      const sure = Math.max(0, this.#held.length - this.#delimiter.length + 1)
      const ready = this.#held.subarray(0, sure)
      this.#held = this.#held.subarray(sure)
      if (ready.length > 0) yield ready
      await this.#more()
    }
  }

  /** Passes over the content of a part that nobody wants, within a bound. */
  async skip(limit: number): Promise<void> {
    let size = 0
    for await (const piece of this.content()) {
      size += piece.length
      if (size > limit) throw brokenUpload(`A part beside the file is larger than ${limit} bytes`)
    }
  }

  /** Reads what comes after the last boundary, which means nothing, within a bound. */
  async finish(limit: number): Promise<void> {
    for (let size = 0; ; ) {
      const { done, value } = await this.#source.next()
      if (done) return
      size += value.length
      if (size > limit) throw brokenUpload('The multipart body goes on after its end')
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done) throw brokenUpload('The multipart body ends before its last boundary')
    this.#held =
      this.#held.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([this.#held, value])
  }
}
