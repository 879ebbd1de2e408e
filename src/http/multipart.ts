import { AppError } from '../kernel/app-error.ts'
import { freeBytes } from '../kernel/free-bytes.ts'
import { fileNameFrom } from './content-headers.ts'

interface Part {
  /** Name of the form field. */
  name: string | undefined
  /** Undefined for a part that is not a file. */
  fileName: string | undefined
}

export const malformedUpload = (message: string): AppError =>
  new AppError('malformed_upload', message, { errors: [{ path: '/file', message }] })

const lineEnd = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')
const closing = Buffer.from('--')
const maxHeaderBytes = 16 << 10
const maxHeaderLines = 50

const multipartType = /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))/i

/** The boundary of a multipart Content-Type: 1 to 70 characters (RFC 2046). */
export function multipartBoundary(contentType: string): string {
  // The length is limited first, because matching takes quadratic time.
  const match = contentType.length > 256 ? null : multipartType.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined || boundary.length > 70)
    throw malformedUpload(
      'The Content-Type must be multipart/form-data with a boundary of at most 70 characters',
    )
  return boundary
}

/** Some clients, such as that of .NET, leave out the quotes. */
const parameter = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"|([^\s;"]+))/g

/**
 * Browsers write a quote as %22 and leave backslashes alone; some clients write \" for a quote. Header bytes are decoded
 * as Latin-1 first; invalid UTF-8 becomes U+FFFD, which no file name may contain.
 */
function fieldParameter(header: string, key: string): string | undefined {
  for (const [, name = '', quoted, bare = ''] of header.matchAll(parameter))
    if (name.toLowerCase() === key)
      return Buffer.from(quoted?.replaceAll('\\"', '"') ?? bare, 'latin1').toString('utf8')
  return undefined
}

function partOf(headers: string): Part {
  const lines = headers.split('\r\n').filter(line => line !== '')
  if (lines.length > maxHeaderLines || lines.some(line => !/^[!-9;-~]+:/.test(line)))
    throw malformedUpload('A part of the multipart body has malformed headers')
  const disposition = lines.find(line => /^content-disposition:/i.test(line))?.replace(/^[^:]*:/, '')
  if (disposition === undefined)
    throw malformedUpload('A part of the multipart body has no Content-Disposition')
  const fileName = /;[ \t]*filename\*[ \t]*=/i.test(disposition)
    ? (fileNameFrom(disposition) ?? '')
    : fieldParameter(disposition, 'filename')?.replaceAll('%22', '"')
  return { name: fieldParameter(disposition, 'name'), fileName }
}

/** Buffers at most one chunk of the body and the possible start of a boundary. */
export class MultipartReader {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #delimiter: Buffer
  /** Starts with a line end, so that the first boundary looks like every other. */
  #held: Buffer = lineEnd

  constructor(source: AsyncIterator<Uint8Array>, boundary: string) {
    this.#source = source
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** The next part, or undefined after the last. Its content must be read before the next call. */
  async next(): Promise<Part | undefined> {
    while (this.#held.length < 2) await this.#more()
    if (this.#held.subarray(0, 2).equals(closing)) return undefined
    let end = this.#held.indexOf(headersEnd)
    while (end === -1) {
      if (this.#held.length > maxHeaderBytes)
        throw malformedUpload(`A part of the multipart body has headers of more than ${maxHeaderBytes} bytes`)
      await this.#more()
      end = this.#held.indexOf(headersEnd)
    }
    // After the boundary its line may contain only white space.
    const firstLineEnd = this.#held.indexOf(lineEnd)
    if (!/^[ \t]*$/.test(this.#held.toString('latin1', 0, firstLineEnd)) || end > maxHeaderBytes)
      throw malformedUpload('A boundary of the multipart body is malformed')
    const headers = this.#held.toString('latin1', firstLineEnd, end)
    // An empty part starts with the line end of the next boundary.
    this.#held = this.#held.subarray(end + headersEnd.length)
    return partOf(headers)
  }

  /** The content up to the next boundary, or before the first one. */
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

  /** Skips the content of a part, up to a limit. */
  async skip(limit: number): Promise<void> {
    let size = 0
    for await (const piece of this.content()) {
      size += piece.length
      if (size > limit) throw malformedUpload(`A part other than the file is larger than ${limit} bytes`)
    }
  }

  /** Skips what follows the last boundary, up to a limit. */
  async finish(limit: number): Promise<void> {
    for (let size = 0; ; ) {
      const { done, value } = await this.#source.next()
      if (done) return
      size += value.length
      if (size > limit) throw malformedUpload('The multipart body continues after its last boundary')
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done) throw malformedUpload('The multipart body ends before its last boundary')
    this.#held = Buffer.concat([this.#held, value])
    freeBytes(value)
  }
}
