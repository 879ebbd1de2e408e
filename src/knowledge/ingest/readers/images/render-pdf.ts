import { DocumentFailure } from '../../document-failure.ts'
import type { MediaReader } from '../../recognition/medium.ts'
import { maxSide, pageJpeg } from './page-image.ts'
import { type RecognisedPage, type RenderedPage, recognisePages } from './recognise-pages.ts'

const pointsPerInch = 72
const dotsPerInch = 200

async function* renderPages(bytes: Uint8Array, numbers: number[]): AsyncGenerator<RenderedPage> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium')
  const library = await PDFiumLibrary.init()
  try {
    const document = await library.loadDocument(bytes)
    for (const page of numbers) {
      const opened = document.getPage(page - 1)
      const { originalWidth, originalHeight } = opened.getOriginalSize()
      const side = Math.max(originalWidth, originalHeight, 1)
      const scale = Math.min(dotsPerInch / pointsPerInch, maxSide / side)
      const { width, height, data } = await opened.render({ scale, render: 'bitmap' })
      yield { page, jpeg: await pageJpeg({ width, height, rgba: data }) }
    }
    document.destroy()
  } catch (cause) {
    throw cause instanceof DocumentFailure
      ? cause
      : new DocumentFailure(
          'broken_file',
          'The PDF is damaged: its pages cannot be drawn. Export it again.',
          {
            cause,
          },
        )
  } finally {
    library.destroy()
  }
}

/** The recognised text of scanned pages. Undefined where nothing can recognise them. */
export async function recogniseScans(
  bytes: Uint8Array,
  numbers: number[],
  media: MediaReader,
): Promise<AsyncGenerator<RecognisedPage> | undefined> {
  if (!(await media.startPages(numbers.length))) return undefined
  return recognisePages(renderPages(bytes, numbers), media)
}
