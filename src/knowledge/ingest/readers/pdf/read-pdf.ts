import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { howToRecognise, type MediaReader } from '../../recognition/medium.ts'
import { type Line, readLines } from './page-lines.ts'
import { pdfParagraphs, withoutRunningTitles } from './paragraphs.ts'

/**
 * Fonts of Chinese, Japanese and Korean documents may refer to a predefined character map ("UniGB-UCS2-H") instead of
 * embedding one. The real maps are large tables from code to glyph and from glyph to character. Only the character is
 * needed here, so the code point of the character serves as the glyph number in between.
 */
const legacyEncodings: [RegExp, string][] = [
  [/^(GB|GBpc|GBK|GBKp)-EUC-|^GBK2K-/, 'gb18030'],
  [/^(B5pc|HKscs-B5|ETen-B5|ETenms-B5)-/, 'big5'],
  [/^(83pv|90ms|90msp|90pv|Ext|Add)-RKSJ-|^(Ext|Add)?RKSJ-/, 'shift_jis'],
  [/^EUC-(H|V)$/, 'euc-jp'],
  [/^(KSC|KSCms|KSCpc)-(EUC|UHC)-/, 'euc-kr'],
]

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const wrap = (name: string, body: string): string =>
  `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /${name} def\n/WMode ${
    name.endsWith('-V') ? 1 : 0
  } def\n${body}\nendcmap\nend\nend\n`

/** Maps two-byte codes, with one range per row of 256 codes, as the format requires. */
const twoByteMap = (name: string, kind: 'cid' | 'bf', target: (row: number) => string | number): string => {
  const rows = Array.from({ length: 256 }, (_, row) => `<${hex(row, 2)}00> <${hex(row, 2)}ff> ${target(row)}`)
  return wrap(
    name,
    `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n256 begin${kind}range\n${rows.join('\n')}\nend${kind}range`,
  )
}

const decodeOne = (decoder: InstanceType<typeof TextDecoder>, bytes: number[]): number | undefined => {
  const text = decoder.decode(Uint8Array.from(bytes))
  const code = text.charCodeAt(0)
  return text.length === 1 && code !== 0xfffd && code >= 0x20 ? code : undefined
}

/** Maps every code of one and two bytes with the platform's decoder. */
const legacyMap = (name: string, encoding: string): string => {
  const decoder = new TextDecoder(encoding)
  const lines: string[] = []
  const leads: number[] = []
  for (let first = 0; first < 256; first++) {
    const single = decodeOne(decoder, [first])
    if (single !== undefined) lines.push(`<${hex(first, 2)}> ${single}`)
    else if (first > 0x80) leads.push(first)
  }
  for (const first of leads)
    for (let second = 0x21; second < 256; second++) {
      const character = decodeOne(decoder, [first, second])
      if (character !== undefined) lines.push(`<${hex(first * 256 + second, 4)}> ${character}`)
    }
  const space = [
    ...Array.from({ length: 256 }, (_, code) => code)
      .filter(code => !leads.includes(code))
      .map(code => `<${hex(code, 2)}> <${hex(code, 2)}>`),
    ...leads.map(lead => `<${hex(lead, 2)}21> <${hex(lead, 2)}ff>`),
  ]
  return wrap(
    name,
    `${space.length} begincodespacerange\n${space.join('\n')}\nendcodespacerange\n` +
      `${lines.length} begincidchar\n${lines.join('\n')}\nendcidchar`,
  )
}

/** The source of a map; `undefined` for one that cannot be generated. */
const predefinedCMap = (name: string): string | undefined => {
  // Codes that are UTF-16 already; surrogate pairs stay two codes.
  if (/^Uni(GB|CNS|JIS|JISX0213|JIS2004|KS)-(UCS2|UTF16)-/.test(name))
    return twoByteMap(name, 'cid', row => row * 256)
  // From the glyph numbers used here to characters.
  if (/^Adobe-(GB1|CNS1|Japan1|Korea1|KR)-UCS2$/.test(name))
    return twoByteMap(name, 'bf', row => `<${hex(row, 2)}00>`)
  const encoding = legacyEncodings.find(([pattern]) => pattern.test(name))?.[1]
  return encoding === undefined ? undefined : legacyMap(name, encoding)
}

/** On damaged files the library may reject a promise without a handler, which would end the thread. */
const ignoreIfFromLibrary = (reason: unknown): void => {
  if (reason instanceof Error && /[\\/]unpdf[\\/]/.test(reason.stack ?? '')) return
  throw reason
}

const maxPdfPages = 5000

/** Replaces everything the library would load. Only character maps are generated; nothing is ever fetched. */
class OfflineData {
  #mapped = false

  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const isGlyphTable = filename.startsWith('Adobe-')
    // Fonts that use Adobe's glyph numbers directly need the real table: no text is better than wrong text.
    const map = kind === 'cMapUrl' && (this.#mapped || !isGlyphTable) ? predefinedCMap(filename) : undefined
    if (map === undefined) throw new Error(`${filename} is not available`)
    this.#mapped = true
    return Buffer.from(map, 'latin1')
  }
}

const loadLibrary = async () => {
  if (!process.listeners('unhandledRejection').includes(ignoreIfFromLibrary))
    process.on('unhandledRejection', ignoreIfFromLibrary)
  const { getResolvedPDFJS } = await import('unpdf')
  return getResolvedPDFJS()
}

type Library = Awaited<ReturnType<typeof loadLibrary>>
type LoadingTask = ReturnType<Library['getDocument']>

const asFailure = (cause: unknown): DocumentFailure => {
  if (cause instanceof DocumentFailure) return cause
  return cause instanceof Error && cause.name === 'PasswordException'
    ? new DocumentFailure('encrypted', 'The PDF is protected with a password. Upload it without one.', {
        cause,
      })
    : new DocumentFailure('broken_file', 'The PDF is damaged. Save or export it again.', { cause })
}

const openTask = (library: Library, bytes: Uint8Array): LoadingTask =>
  library.getDocument({
    // The library transfers the buffer, so it gets a copy.
    data: new Uint8Array(bytes),
    verbosity: 0,
    BinaryDataFactory: OfflineData,
    cMapPacked: false,
    cMapUrl: 'cmap/',
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWasm: false,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
  })

/** The lines of each page. A page is released before the next is read. */
async function* readPdfPages(bytes: Uint8Array): AsyncGenerator<Line[]> {
  const library = await loadLibrary()
  const task = openTask(library, bytes)
  try {
    const document = await task.promise
    if (document.numPages > maxPdfPages)
      throw new DocumentFailure(
        'too_large',
        `The PDF has ${document.numPages} pages; the limit is ${maxPdfPages}. Split it.`,
      )
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      const lines = await readLines(page, number)
      page.cleanup()
      yield lines
    }
  } catch (error) {
    throw asFailure(error)
  } finally {
    await task.destroy().catch(() => {})
  }
}

const maxCharacters = 50_000_000

/** Keeps the lines of all pages: body font size and running titles depend on the whole document. */
export async function* readPdf(bytes: Uint8Array, media?: MediaReader): AsyncGenerator<Block> {
  const lines: Line[] = []
  const withoutText: number[] = []
  let characters = 0
  let pages = 0
  for await (const found of readPdfPages(bytes)) {
    pages += 1
    if (found.length === 0) withoutText.push(pages)
    for (const line of found) {
      characters += line.text.length
      lines.push(line)
    }
    if (characters > maxCharacters)
      throw new DocumentFailure('too_large', 'The PDF has more than 50 million characters. Split it.')
  }
  const blocks = pdfParagraphs(withoutRunningTitles(lines, pages))
  yield* (await scannedPages(blocks, bytes, withoutText, media)) ?? whereText(lines.length > 0, blocks)
}

/** The blocks with the recognised text of pages without text; undefined where there are none, or no recogniser. */
async function scannedPages(
  blocks: Iterable<Block>,
  bytes: Uint8Array,
  withoutText: number[],
  media: MediaReader | undefined,
): Promise<AsyncIterable<Block> | undefined> {
  if (withoutText.length === 0 || !media) return undefined
  const { withScannedPages } = await import('../images/render-pdf.ts')
  return withScannedPages(blocks, bytes, withoutText, media)
}

function whereText(hasText: boolean, blocks: Iterable<Block>): Iterable<Block> {
  if (hasText) return blocks
  throw new DocumentFailure(
    'no_text',
    `The PDF has no text. It looks like a scan, and no text recognition (OCR) is set up. ${howToRecognise}`,
  )
}
