import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { damagedArchive } from './backup-error.ts'
import type { Row } from './table-archive.ts'

const batchCharacters = 64 << 10
/** Far longer than any row, whose largest part is a graph; what is longer is no row of ours. */
const maxLineBytes = 64 << 20
const newline = 0x0a

async function* textOf(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let text = ''
  for await (const row of rows) {
    text += `${JSON.stringify(row)}\n`
    if (text.length < batchCharacters) continue
    yield text
    text = ''
  }
  yield text
}

/** One JSON object a line, compressed lightly: twice as fast as the usual level for a little more space. */
export const packRows = (rows: AsyncIterable<Row>): AsyncIterable<Uint8Array> =>
  // The callback has nothing to do: pipeline destroys both ends, and the reader sees the error.
  pipeline(Readable.from(textOf(rows)), createGzip({ level: 1 }), () => {})

/** Lines end with a newline and with nothing else: text may hold every other character that ends lines. */
async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  for await (const chunk of content) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)])
      pieces = []
      length = 0
      start = end + 1
    }
    pieces.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > maxLineBytes) throw damagedArchive('a row in it is longer than any row can be')
  }
  if (length > 0) throw damagedArchive('a table in it ends too early')
}

export async function* unpackRows(content: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const text: AsyncIterable<Buffer> = pipeline(Readable.from(content), createGunzip(), () => {})
  for await (const line of linesOf(text)) yield JSON.parse(line.toString()) as Row
}
