import type { MalformedText } from './malformed-json.ts'
import type { Random } from './random.ts'

export interface MalformedBytes {
  mutation: string
  bytes: Buffer
}

const swap = (bytes: Buffer): Buffer => (bytes.length % 2 === 0 ? bytes.swap16() : bytes)

/** The bytes of a JSON body, mostly valid, else broken below the level of JSON. */
export function malformedBytes(good: MalformedText, random: Random): MalformedBytes {
  const mutation = random.weighted({
    good: 60,
    truncated: 4,
    random: 3,
    flipped: 4,
    'bad utf-8': 3,
    empty: 2,
    blank: 1,
    array: 2,
    scalar: 2,
    'trailing garbage': 2,
    'two documents': 1,
    'not json': 3,
    'utf-16': 1,
    'byte order mark': 1,
  })
  const { text } = good
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  const done = (result: Buffer | string): MalformedBytes => ({
    mutation,
    bytes: typeof result === 'string' ? Buffer.from(result) : result,
  })
  switch (mutation) {
    case 'good':
      return { mutation: good.mutation, bytes }
    case 'truncated':
      return done(bytes.subarray(0, at))
    case 'random':
      return done(random.bytes(random.below(300)))
    case 'flipped':
      for (let count = 1 + random.below(4); count > 0 && bytes.length > 0; count--)
        bytes[random.below(bytes.length)] = random.below(256)
      return done(bytes)
    case 'bad utf-8':
      return done(
        Buffer.concat([
          bytes.subarray(0, at),
          random.pick([Buffer.from([0xff]), Buffer.from([0xc0, 0x80]), Buffer.from([0xed, 0xa0, 0x80])]),
          bytes.subarray(at),
        ]),
      )
    case 'empty':
      return done('')
    case 'blank':
      return done(' \r\n\t ')
    case 'array':
      return done(`[${text}]`)
    case 'scalar':
      return done(random.pick(['null', 'true', '0', '"id"', '""', '-1e99', '[]']))
    case 'trailing garbage':
      return done(`${text}${random.pick(['}', ',', 'x', '\0', ']]', '"'])}`)
    case 'two documents':
      return done(`${text}${text}`)
    case 'not json':
      return done(
        random.pick([
          "{'id':1}",
          '{id:1}',
          '{"id":NaN}',
          '{"id":1,}',
          '/*c*/{}',
          '{"id":\'a\'}',
          '{"id":01}',
        ]),
      )
    case 'utf-16':
      return done(swap(Buffer.from(text, 'utf16le')))
    case 'byte order mark':
      return done(`\ufeff${text}`)
  }
}
