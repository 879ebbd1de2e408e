import { edgeCaseString } from './edge-cases.ts'
import type { MalformedBytes } from './malformed-body.ts'
import type { Random } from './random.ts'

export interface MultipartBody extends MalformedBytes {
  contentType: string
}

const part = (headers: string[], content: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`--B\r\n${headers.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])

export const filePart = (name: string, filename: string, content: Buffer | string): Buffer =>
  part(
    [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, 'Content-Type: text/plain'],
    content,
  )

export const fieldPart = (name: string, content: string): Buffer =>
  part([`Content-Disposition: form-data; name="${name}"`], content)

const end = Buffer.from('--B--\r\n')

/** A form with one file, mostly valid, else broken in one of the ways that are known to break parsers. */
export function malformedMultipart(random: Random): MultipartBody {
  const content = random.bytes(random.below(random.chance(0.1) ? 200_000 : 400))
  const good = Buffer.concat([filePart('file', 'a.txt', content), end])
  const mutation = random.weighted({
    'good multipart': 4,
    'missing end': 2,
    truncated: 3,
    flipped: 3,
    'two files': 1,
    'other name': 1,
    'no file': 1,
    'unusual filename': 3,
    'header without colon': 1,
    'large part header': 1,
    'no disposition': 1,
    'many parts': 0.5,
    nested: 1,
    'no boundary': 1,
    'other boundary': 1,
    'long boundary': 0.5,
    'only end': 1,
    random: 1,
    mixed: 0.5,
    fields: 1,
  })
  const contentType = {
    'no boundary': 'multipart/form-data',
    'other boundary': 'multipart/form-data; boundary=C',
    'long boundary': `multipart/form-data; boundary=${'B'.repeat(8000)}`,
    mixed: 'multipart/mixed; boundary=B',
  }[mutation as string]
  const give = (...pieces: Buffer[]): MultipartBody => ({
    mutation: `multipart: ${mutation}`,
    contentType:
      contentType ?? random.pick(['multipart/form-data; boundary=B', 'multipart/form-data; boundary="B"']),
    bytes: Buffer.concat(pieces),
  })
  switch (mutation) {
    case 'missing end':
      return give(filePart('file', 'a.txt', content))
    case 'truncated':
      return give(good.subarray(0, random.below(good.length)))
    case 'flipped':
      good[random.below(Math.min(good.length, 120))] = random.below(256)
      return give(good)
    case 'two files':
      return give(filePart('file', 'a', content), filePart('file', 'b', content), end)
    case 'other name':
      return give(filePart(edgeCaseString(random).replace(/["\r\n]/g, ''), 'a', content), end)
    case 'no file':
      return give(fieldPart('file', 'a'), end)
    case 'unusual filename':
      return give(filePart('file', edgeCaseString(random), content), end)
    case 'header without colon':
      return give(
        part(['no colon here', 'Content-Disposition: form-data; name="file"; filename="a"'], content),
        end,
      )
    case 'large part header':
      return give(
        part(
          [`X: ${'y'.repeat(20_000)}`, 'Content-Disposition: form-data; name="file"; filename="a"'],
          content,
        ),
        end,
      )
    case 'no disposition':
      return give(part(['Content-Type: text/plain'], content), end)
    case 'many parts':
      return give(...Array.from({ length: 2000 }, () => fieldPart('x', 'y')), good)
    case 'nested':
      return give(
        part(
          ['Content-Disposition: form-data; name="file"', 'Content-Type: multipart/mixed; boundary=B'],
          filePart('file', 'a', content),
        ),
        end,
      )
    case 'only end':
      return give(end)
    case 'random':
      return give(content)
    case 'fields':
      return give(fieldPart(edgeCaseString(random).slice(0, 500), 'x'.repeat(random.below(80_000))), good)
    default:
      return give(good)
  }
}
