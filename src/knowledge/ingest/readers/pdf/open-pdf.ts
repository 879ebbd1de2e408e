import { inflateSync } from 'node:zlib'
import { limits } from '../../../../contract/limits.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { characterMapOf } from './character-maps.ts'

/** On damaged files the library may reject a promise without a handler, which would end the thread. */
const ignoreIfFromLibrary = (reason: unknown): void => {
  if (reason instanceof Error && /[\\/]unpdf[\\/]/.test(reason.stack ?? '')) return
  throw reason
}

/** Replaces everything the library would load. Only character maps are generated; nothing is ever fetched. */
class OfflineData {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const map = kind === 'cMapUrl' ? characterMapOf(filename) : undefined
    // No text is better than wrong text.
    if (map === undefined) throw new Error(`${filename} is not available`)
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
export type PdfDocument = Awaited<LoadingTask['promise']>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

export const asPdfFailure = (cause: unknown): DocumentFailure => {
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
    // Images are not decoded, because nothing is drawn.
    maxImageSize: 1,
  })

/** Limit for unpacking streams to look for notes: a file may have millions of streams, which may unpack to gigabytes. */
const maxUnpacked = 64 << 20
const maxStreams = 10_000

/** Notes are written on pages, and stamps put on them. */
const isNote = (bytes: Buffer): boolean => bytes.includes('/FreeText') || bytes.includes('/Stamp')

/** Whether there are notes on pages. Most programs compress the objects of a file in streams. */
const hasNotes = (bytes: Buffer): boolean => {
  if (isNote(bytes)) return true
  let left = maxUnpacked
  let streams = 0
  for (let at = bytes.indexOf('/ObjStm'); at >= 0; at = bytes.indexOf('/ObjStm', at + 1)) {
    if (++streams > maxStreams) return true
    const start = /stream\r?\n/.exec(bytes.toString('latin1', at, at + 500))
    if (!start) continue
    try {
      const stream = bytes.subarray(at + start.index + start[0].length)
      const unpacked = inflateSync(stream, { maxOutputLength: left })
      if (isNote(unpacked)) return true
      left -= unpacked.length
    } catch (error) {
      // Other streams are encrypted, damaged or compressed in another way.
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return true
    }
  }
  return false
}

/** Annotations of a page take as long as a quarter of its text, and most are links. */
const mayShowAnnotations = async (document: PdfDocument, bytes: Uint8Array): Promise<boolean> =>
  hasNotes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) ||
  (await document.getFieldObjects().catch(() => null)) !== null

export interface OpenPdf {
  document: PdfDocument
  /** Whether pages may show text that is not theirs: values of forms, notes, stamps and signatures. */
  hasAnnotations: boolean
  close(): Promise<void>
}

/** Fails with a `DocumentFailure`. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const task = openTask(await loadLibrary(), bytes)
  const close = async (): Promise<void> => {
    await task.destroy().catch(() => {})
  }
  try {
    const document = await task.promise
    if (document.numPages > limits.pdfPages)
      throw new DocumentFailure(
        'too_large',
        `The PDF has ${document.numPages} pages; the limit is ${limits.pdfPages}. Split it.`,
      )
    return { document, hasAnnotations: await mayShowAnnotations(document, bytes), close }
  } catch (error) {
    await close()
    throw asPdfFailure(error)
  }
}
