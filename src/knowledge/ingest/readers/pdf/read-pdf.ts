import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { type Line, readLines } from './page-lines.ts'
import { pdfParagraphs, withoutRunningTitles } from './paragraphs.ts'
import { predefinedCMap } from './predefined-cmaps.ts'

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
export async function* readPdf(bytes: Uint8Array): AsyncGenerator<Block> {
  const lines: Line[] = []
  let characters = 0
  let pages = 0
  for await (const found of readPdfPages(bytes)) {
    pages += 1
    for (const line of found) {
      characters += line.text.length
      lines.push(line)
    }
    if (characters > maxCharacters)
      throw new DocumentFailure('too_large', 'The PDF has more than 50 million characters. Split it.')
  }
  if (lines.length === 0)
    throw new DocumentFailure(
      'no_text',
      'The PDF has no text. It looks like a scan: run text recognition (OCR) on it and upload the result.',
    )
  yield* pdfParagraphs(withoutRunningTitles(lines, pages))
}
