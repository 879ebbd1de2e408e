import { Parser } from 'htmlparser2'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'

/** Attributes by local name (`val` for `w:val`), and by the full name if there is a prefix. */
export type XmlAttributes = Record<string, string | undefined>

/** A function to call at the end of the element, or `false` to skip its content. */
export type XmlEnd = (() => void) | false | undefined

export interface XmlHandler {
  open:
    | ((name: string, attributes: XmlAttributes) => XmlEnd)
    | ((name: string, attributes: XmlAttributes) => void)
  /** Elements that are skipped with their content, before their attributes are read. */
  readonly unused?: ReadonlySet<string>
  /** `parent` is the innermost open element. */
  text?(text: string, parent: string): void
}

const maxDepth = 256
const maxPiece = 16 * 1024 * 1024

const broken = (problem: string): DocumentFailure =>
  new DocumentFailure('broken_file', `The file is damaged: a part of it ${problem}.`)

/** Documents have few different names, and cutting off their prefixes each time is slow. */
const localNames = new Map<string, string>()
const maxLocalNames = 5000

const localName = (name: string): string => {
  const known = localNames.get(name)
  if (known !== undefined) return known
  const local = name.slice(name.indexOf(':') + 1)
  if (localNames.size < maxLocalNames) localNames.set(name, local)
  return local
}

const localAttributes = (attributes: Record<string, string>): XmlAttributes => {
  const local: XmlAttributes = Object.create(null)
  for (const name in attributes) {
    const value = attributes[name]
    local[name] = value
    const short = localName(name)
    // An element may have both `id` and `r:id`: the unprefixed one keeps its name.
    if (short !== name && !Object.hasOwn(attributes, short)) local[short] = value
  }
  return local
}

/** Only the five predefined entities are expanded, declaring others is refused, and nothing external is ever loaded. */
const createReader = (handler: XmlHandler) => {
  const open: { name: string; end: (() => void) | undefined }[] = []
  /** For each open `AlternateContent`, whether one of its alternatives was read. */
  const alternatives: boolean[] = []
  /** Depth of the outermost skipped element; 0 outside of skipped elements. */
  let skippedDepth = 0
  let hasElements = false
  let justOpened = false

  /** `AlternateContent` holds the same content for newer and older programs: only its first alternative is read. */
  const enter = (name: string, attributes: Record<string, string>): ReturnType<XmlHandler['open']> => {
    if (name === 'AlternateContent') alternatives.push(false)
    else if ((name === 'Choice' || name === 'Fallback') && alternatives.length > 0) {
      const wasRead = alternatives.pop()!
      alternatives.push(true)
      if (wasRead) return false
    }
    if (handler.unused?.has(name)) return false
    return handler.open(name, localAttributes(attributes))
  }
  const parser = new Parser(
    {
      onopentag: (qualified, attributes) => {
        if (open.length >= maxDepth)
          throw new DocumentFailure(
            'too_complex',
            `The file has more than ${maxDepth} nested levels. Simplify it.`,
          )
        hasElements = true
        justOpened = true
        const name = localName(qualified)
        const end = skippedDepth === 0 ? enter(name, attributes) : undefined
        open.push({ name, end: typeof end === 'function' ? end : undefined })
        if (end === false) skippedDepth = open.length
      },
      onclosetag: (_, implied) => {
        // The parser also reports the end of `<a/>` as implied; any other implied end is a missing end tag.
        if (implied && !justOpened) throw broken('is truncated or is not well-formed XML')
        justOpened = false
        const isSkipped = skippedDepth > 0
        if (skippedDepth === open.length) skippedDepth = 0
        const { name, end } = open.pop()!
        if (isSkipped) return
        if (name === 'AlternateContent') alternatives.pop()
        end?.()
      },
      ontext: text => {
        justOpened = false
        const parent = open.at(-1)
        if (parent && skippedDepth === 0) handler.text?.(text, parent.name)
      },
      onprocessinginstruction: (name, data) => {
        if (/^!entity/i.test(name) || (/^!doctype/i.test(name) && data.includes('[')))
          throw broken('declares entities, which are not allowed')
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return {
    write: (text: string, total: number): void => {
      parser.write(text)
      // An unclosed attribute or comment would be buffered until the end of the file.
      if (total - parser.endIndex > maxPiece)
        throw new DocumentFailure('too_large', 'The file contains a single value of more than 16 MiB.')
    },
    finish: (): void => {
      parser.end()
      if (!hasElements) throw broken('is not XML')
    },
  }
}

const decoderFor = (head: Uint8Array): InstanceType<typeof TextDecoder> => {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be')
  const start = Buffer.from(head.subarray(0, 200)).toString('latin1')
  const named = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? 'utf-8'
  try {
    // A declaration that is readable as ASCII cannot be in UTF-16, whatever it claims.
    return new TextDecoder(/^utf-?16/i.test(named) ? 'utf-8' : named)
  } catch {
    throw broken(`is in the encoding "${named}", which is not known`)
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

async function* parse(chunks: Chunks, handler: XmlHandler): AsyncGenerator<undefined> {
  const reader = createReader(handler)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let total = 0
  for await (const chunk of chunks) {
    decoder ??= decoderFor(chunk)
    const text = decoder.decode(chunk, { stream: true })
    total += text.length
    reader.write(text, total)
    yield
  }
  reader.finish()
}

/** Parses the whole input; the handler keeps what it needs. */
export const parseXml = async (chunks: Chunks, handler: XmlHandler): Promise<void> => {
  for await (const _ of parse(chunks, handler));
}

/** Yields blocks as soon as the handler has them ready, so that they do not accumulate. */
export async function* blocksOfXml(
  chunks: Chunks,
  handler: XmlHandler & { ready: Block[] },
): AsyncGenerator<Block> {
  for await (const _ of parse(chunks, handler)) yield* handler.ready.splice(0)
  yield* handler.ready.splice(0)
}
