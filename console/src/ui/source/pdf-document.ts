import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url&no-inline'
import { addressOf, authorization } from '../../api/request.ts'

GlobalWorkerOptions.workerSrc = workerUrl

/** The character maps, fonts and decoders of the package, which are files of the console like any other. */
const parts: Record<string, Record<string, string>> = {
  cMapUrl: import.meta.glob<string>('../../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
    query: '?url&no-inline',
    import: 'default',
    eager: true,
  }),
  standardFontDataUrl: import.meta.glob<string>(
    '../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
    { query: '?url&no-inline', import: 'default', eager: true },
  ),
  wasmUrl: import.meta.glob<string>('../../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg}.wasm', {
    query: '?url&no-inline',
    import: 'default',
    eager: true,
  }),
}

const addresses = new Map(
  Object.entries(parts).flatMap(([kind, files]) =>
    Object.entries(files).map(([path, url]) => [`${kind} ${path.split('/').at(-1)}`, url] as const),
  ),
)

/** Loads files that the worker requests by name. */
class PackagedFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const url = addresses.get(`${kind} ${filename}`)
    if (url === undefined) throw new Error(`The PDF reader has no file ${filename}`)
    const response = await fetch(url)
    if (!response.ok) throw new Error(`The file ${filename} cannot be loaded`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

/** Opens a PDF file of the server. Only those parts of it are loaded that its shown pages need. */
export async function openPdf(
  fileId: string,
  signal: AbortSignal,
): Promise<{ pdf: PDFDocumentProxy; close: () => void }> {
  const task = getDocument({
    url: new URL(addressOf('GET /api/v1/files/{file_id}', { params: { file_id: fileId } }), location.href),
    httpHeaders: authorization(),
    BinaryDataFactory: PackagedFiles,
    // The folder names only have to be set: the class above finds the files.
    ...{ cMapUrl: '/', standardFontDataUrl: '/', wasmUrl: '/' },
    useWorkerFetch: false,
    isEvalSupported: false,
    disableAutoFetch: true,
    disableStream: true,
    enableXfa: false,
    // A page is only shown as an image and text: scripts and forms are disabled.
    stopAtErrors: false,
    maxImageSize: 64 << 20,
    verbosity: 0,
  })
  const close = (): void => void task.destroy()
  signal.addEventListener('abort', close)
  return { pdf: await task.promise, close }
}
