import { type PDFDocumentProxy, type RenderTask, TextLayer } from 'pdfjs-dist'
import { type CSSProperties, memo, useEffect, useRef } from 'react'
import type { DocumentView } from './open-source.ts'

export interface PageSize {
  width: number
  height: number
}

type PassagePage = NonNullable<DocumentView['passage']>['pages'][number]

interface PdfPageProps {
  pdf: PDFDocumentProxy
  number: number
  label: string
  /** The size of the page in points. */
  size: PageSize
  scale: number
  /** Whether the page is visible, or nearly so, and therefore drawn. */
  isNear: boolean
  passage: PassagePage | undefined
  onSize: (number: number, size: PageSize) => void
}

/** The text layer of pdf.js reads the scale from a property. */
const styleOf = ({ width, height }: PageSize, scale: number): CSSProperties =>
  ({ width: width * scale, height: height * scale, '--total-scale-factor': scale }) as CSSProperties

/** Larger canvases fail in some browsers. */
const maxPixels = 16 << 20

/** One page of a PDF: an image of it, its text, which can be selected, and the boxes of the passage. */
export const PdfPage = memo(function PdfPage(props: PdfPageProps) {
  const { pdf, number, label, size, scale, isNear, passage, onSize } = props
  const sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = sheet.current
    if (!isNear || !place) return
    const drawn = drawPage(pdf, number, scale, place, found => onSize(number, found))
    return () => {
      drawn.stop()
      place.replaceChildren()
    }
  }, [pdf, number, scale, isNear, onSize])
  return (
    <section className="pdf-page" data-page={number} aria-label={label} style={styleOf(size, scale)}>
      <div ref={sheet} />
      {passage?.boxes.map(([left = 0, top = 0, right = 0, bottom = 0], at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a passage have no other identity
          key={at}
          className="pdf-box"
          style={{
            left: `${(100 * left) / passage.width}%`,
            top: `${(100 * top) / passage.height}%`,
            width: `${(100 * (right - left)) / passage.width}%`,
            height: `${(100 * (bottom - top)) / passage.height}%`,
          }}
        />
      ))}
    </section>
  )
})

/** Draws a page into an element. If it is stopped, the caller removes the unfinished drawing. */
function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  scale: number,
  place: HTMLElement,
  onSize: (size: PageSize) => void,
): { stop: () => void } {
  let isStopped = false
  let task: RenderTask | undefined
  let layer: TextLayer | undefined
  const draw = async (): Promise<void> => {
    const page = await pdf.getPage(number)
    if (isStopped) return
    const viewport = page.getViewport({ scale })
    onSize({ width: viewport.width / scale, height: viewport.height / scale })
    const area = viewport.width * viewport.height
    const ratio = Math.min(window.devicePixelRatio || 1, Math.sqrt(maxPixels / area))
    const canvas = document.createElement('canvas')
    canvas.width = Math.floor(viewport.width * ratio)
    canvas.height = Math.floor(viewport.height * ratio)
    const text = document.createElement('div')
    text.className = 'pdf-text'
    place.replaceChildren(canvas, text)
    task = page.render({ canvas, viewport, transform: [ratio, 0, 0, ratio, 0, 0] })
    await task.promise
    if (isStopped) return
    layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport })
    await layer.render()
    // Tells tests and assistive technology that the text is complete.
    text.dataset['isComplete'] = 'true'
  }
  draw().catch((error: unknown) => {
    // A page that cannot be drawn stays blank; the others are not affected.
    if (!isStopped) place.dataset['failed'] = String(error)
  })
  return {
    stop: () => {
      isStopped = true
      task?.cancel()
      layer?.cancel()
    },
  }
}
