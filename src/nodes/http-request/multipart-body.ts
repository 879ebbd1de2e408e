import { randomBytes } from 'node:crypto'
import type { StreamedBody } from '../../tools/http-client.ts'
import type { RunFile } from '../../workflow/step.ts'

export type FormField = { readonly name: string } & ({ readonly text: string } | { readonly file: RunFile })

interface MultipartBody extends StreamedBody {
  readonly type: string
}

/** `multipart/form-data` as browsers write it. */
export function multipartBody(
  fields: readonly FormField[],
  contentOf: (fileId: string) => AsyncIterable<Uint8Array>,
): MultipartBody {
  const boundary = `banyan-${randomBytes(16).toString('hex')}`
  const end = Buffer.from(`--${boundary}--\r\n`)
  const parts = fields.map(field => ({
    before: Buffer.from(`--${boundary}\r\n${headOf(field)}\r\n\r\n${'text' in field ? field.text : ''}`),
    file: 'file' in field ? field.file : undefined,
  }))
  const lineBreak = Buffer.from('\r\n')
  const sizes = parts.map(({ before, file }) => before.length + (file?.size ?? 0) + lineBreak.length)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: sizes.reduce((sum, size) => sum + size, end.length),
    async *read() {
      for (const { before, file } of parts) {
        yield before
        if (file) yield* contentOf(file.file_id)
        yield lineBreak
      }
      yield end
    },
  }
}

function headOf(field: FormField): string {
  const disposition = `Content-Disposition: form-data; name="${quoted(field.name)}"`
  if ('text' in field) return disposition
  return `${disposition}; filename="${quoted(field.file.name)}"\r\nContent-Type: ${field.file.mime_type}`
}

const escapes: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' }

const quoted = (text: string): string => text.replace(/["\r\n]/g, character => escapes[character]!)
