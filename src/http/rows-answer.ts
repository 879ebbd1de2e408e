import { Readable } from 'node:stream'
import { Answer } from './answer.ts'
import { contentDisposition } from './content-headers.ts'

const formats = {
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  jsonl: { type: 'application/jsonl; charset=utf-8', extension: 'jsonl' },
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
  markdown: { type: 'text/markdown; charset=utf-8', extension: 'md' },
}

/** Sends rows as a file. The first row is read before the response begins, so that an error there has a status. */
export async function rowsAnswer(
  rows: AsyncGenerator<string>,
  format: keyof typeof formats,
  name: string,
): Promise<Answer> {
  const first = await rows.next()
  const all = async function* () {
    // Without this mark, spreadsheets assume the encoding of the system.
    if (format === 'csv') yield '\ufeff'
    if (!first.done && first.value !== '') yield first.value
    for await (const row of rows) if (row !== '') yield row
  }
  const { type, extension } = formats[format]
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    'content-disposition': contentDisposition('attachment', `${name}.${extension}`),
  }
  return new Answer(200, headers, Readable.from(all(), { objectMode: false }))
}
