import { DocumentFailure } from '../../document-failure.ts'
import { type Line, readLines } from './page-lines.ts'
import { predefinedCMap } from './predefined-cmaps.ts'

/**
 * On damaged files the PDF library sometimes rejects a promise without a handler, even after the read has failed, which
 * would end the thread. Rejections from elsewhere stay fatal.
 */
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
export async function* readPdfPages(bytes: Uint8Array): AsyncGenerator<Line[]> {
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
