import { ZoomInOutlined, ZoomOutOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { PDFDocumentProxy } from 'pdfjs-dist'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Loading } from '../loading.tsx'
import { defineWords } from '../words.ts'
import type { DocumentView } from './open-source.ts'
import { openPdf } from './pdf-document.ts'
import { type PageSize, PdfPage } from './pdf-page.tsx'

const useWords = defineWords(
  {
    pages: 'Pages of the document',
    page: (number: number) => `Page ${number}`,
    number: 'Page number',
    of: (total: number) => `of ${total}`,
    larger: 'Zoom in',
    smaller: 'Zoom out',
    fit: 'Fit to width',
  },
  {
    pages: '文档的页面',
    page: (number: number) => `第 ${number} 页`,
    number: '页码',
    of: (total: number) => `/ ${total}`,
    larger: '放大',
    smaller: '缩小',
    fit: '适合宽度',
  },
)

/** Zoom levels relative to the width of the panel. */
const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4]
const margin = 24
/** Space above the passage, so that the text before it can be read. */
const spaceAbove = 90

type Passage = DocumentView['passage']

export interface SourcePdfProps {
  fileId: string
  passage: Passage
  /** Called when the file is missing, or not a readable PDF. */
  onFailed: () => void
}

/** The pages of a PDF with the passage highlighted. Only pages in view are drawn. */
export function SourcePdf({ fileId, passage, onFailed }: SourcePdfProps) {
  const [opened, setOpened] = useState<{ pdf: PDFDocumentProxy; size: PageSize }>()
  useEffect(() => {
    const left = new AbortController()
    const load = async (): Promise<void> => {
      const { pdf } = await openPdf(fileId, left.signal)
      const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 })
      if (!left.signal.aborted) setOpened({ pdf, size: { width, height } })
    }
    load().catch(() => left.signal.aborted || onFailed())
    return () => left.abort()
  }, [fileId, onFailed])
  return opened ? <PdfPages pdf={opened.pdf} usual={opened.size} passage={passage} /> : <Loading />
}

interface PdfPagesProps {
  pdf: PDFDocumentProxy
  /** The size of the first page, which most others share. */
  usual: PageSize
  passage: Passage
}

function PdfPages({ pdf, usual, passage }: PdfPagesProps) {
  const words = useWords()
  const scroller = useRef<HTMLElement>(null)
  const width = useWidth(scroller)
  const near = useNearPages(scroller, width > 0)
  const [zoom, setZoom] = useState(1)
  const [sizes, setSizes] = useState<ReadonlyMap<number, PageSize>>(
    () => new Map(passage?.pages.map(({ page, width, height }) => [page, { width, height }])),
  )
  const keepSize = useCallback((number: number, size: PageSize) => {
    setSizes(before => {
      const known = before.get(number)
      const isSame = Math.abs((known?.width ?? 0) - size.width) + Math.abs((known?.height ?? 0) - size.height)
      return isSame < 2 ? before : new Map(before).set(number, size)
    })
  }, [])
  const numbers = useMemo(() => Array.from({ length: pdf.numPages }, (_, at) => at + 1), [pdf])
  const scale = (zoom * Math.max(100, width - margin)) / usual.width
  const current = useCurrentPage(scroller)
  useStartAtPassage(scroller, passage, width > 0, scale)
  const step = (by: number): void => {
    const next = zooms[zooms.indexOf(zoom) + by]
    if (next !== undefined) setZoom(next)
  }
  return (
    <>
      <div className="pdf-tools">
        <PageField
          key={current}
          page={current}
          total={pdf.numPages}
          onPage={page => pageElement(scroller.current, page)?.scrollIntoView({ block: 'start' })}
        />
        <span className="soft">{words.of(pdf.numPages)}</span>
        <span className="pdf-zoom">
          <Button
            type="text"
            size="small"
            icon={<ZoomOutOutlined aria-hidden />}
            aria-label={words.smaller}
            title={words.smaller}
            disabled={zoom === zooms[0]}
            onClick={() => step(-1)}
          />
          <Button type="text" size="small" title={words.fit} onClick={() => setZoom(1)}>
            {Math.round(zoom * 100)} %
          </Button>
          <Button
            type="text"
            size="small"
            icon={<ZoomInOutlined aria-hidden />}
            aria-label={words.larger}
            title={words.larger}
            disabled={zoom === zooms.at(-1)}
            onClick={() => step(1)}
          />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
      <section ref={scroller} className="pdf-pages" aria-label={words.pages} tabIndex={0}>
        {width > 0 &&
          numbers.map(number => (
            <PdfPage
              key={number}
              pdf={pdf}
              number={number}
              label={words.page(number)}
              size={sizes.get(number) ?? usual}
              scale={scale}
              isNear={near.has(number)}
              passage={passage?.pages.find(({ page }) => page === number)}
              onSize={keepSize}
            />
          ))}
      </section>
    </>
  )
}

const pageElement = (scroller: HTMLElement | null, page: number): HTMLElement | null =>
  scroller?.querySelector<HTMLElement>(`[data-page="${page}"]`) ?? null

/** The inner width of the panel, rounded so that a scroll bar does not redraw everything. */
function useWidth(scroller: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = (): void => setWidth(Math.floor(element.clientWidth / 8) * 8)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
  return width
}

/** The pages that can be seen, and those within a screen of them. */
function useNearPages(scroller: RefObject<HTMLElement | null>, isReady: boolean): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set())
  useEffect(() => {
    const root = scroller.current
    if (!root || !isReady) return
    const observer = new IntersectionObserver(
      entries =>
        setNear(before => {
          const next = new Set(before)
          for (const { target, isIntersecting } of entries) {
            const page = Number((target as HTMLElement).dataset['page'])
            if (isIntersecting) next.add(page)
            else next.delete(page)
          }
          return next
        }),
      { root, rootMargin: '50% 0px' },
    )
    for (const page of root.querySelectorAll('[data-page]')) observer.observe(page)
    return () => observer.disconnect()
  }, [scroller, isReady])
  return near
}

/** The page at the top of the panel; after scrolling to a passage, the page of the passage. */
function useCurrentPage(scroller: RefObject<HTMLElement | null>): number {
  const [page, setPage] = useState(1)
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = (): void => {
      const line = element.scrollTop + spaceAbove - 10
      const pages = [...element.querySelectorAll<HTMLElement>('[data-page]')]
      // Binary search for the last page that starts above the line.
      let low = 0
      let high = pages.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (pages[middle]!.offsetTop <= line) low = middle
        else high = middle - 1
      }
      setPage(low + 1)
    }
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [scroller])
  return page
}

/** Scrolls to the passage once, when the pages are laid out; without boxes to its page. */
function useStartAtPassage(
  scroller: RefObject<HTMLElement | null>,
  passage: Passage,
  isReady: boolean,
  scale: number,
): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (!isReady || isDone.current) return
    const first = passage?.pages.find(({ boxes }) => boxes.length > 0)
    const page = pageElement(scroller.current, first?.page ?? passage?.page ?? 1)
    if (!page || !scroller.current) return
    isDone.current = true
    const top = Math.min(...(first?.boxes ?? []).map(([, top = 0]) => top))
    const offset = Number.isFinite(top) ? top * scale - spaceAbove : 0
    scroller.current.scrollTop = page.offsetTop + offset
  }, [scroller, passage, isReady, scale])
}

interface PageFieldProps {
  page: number
  total: number
  onPage: (page: number) => void
}

function PageField({ page, total, onPage }: PageFieldProps) {
  const words = useWords()
  const go = (typed: string): void => {
    const wanted = Math.min(total, Math.max(1, Math.round(Number(typed))))
    if (Number.isFinite(wanted) && wanted !== page) onPage(wanted)
  }
  return (
    <input
      className="pdf-number"
      type="text"
      inputMode="numeric"
      aria-label={words.number}
      defaultValue={page}
      onBlur={event => go(event.target.value)}
      onKeyDown={event => {
        if (event.key === 'Enter') go(event.currentTarget.value)
      }}
    />
  )
}
