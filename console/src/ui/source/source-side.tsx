import { type ComponentType, lazy, type PointerEvent, Suspense, useEffect, useRef, useState } from 'react'
import { readStored, store } from '../storage.ts'
import { defineWords } from '../words.ts'
import { closeSource, useOpenedSource } from './open-source.ts'
import type { SourcePanelProps } from './source-panel.tsx'
import './source.css'

// Without its chunk, which an updated server no longer has, there is nothing to show.
const SourcePanel = lazy(() =>
  import('./source-panel.tsx').then(
    (module): { default: ComponentType<SourcePanelProps> } => ({ default: module.SourcePanel }),
    () => ({ default: () => null }),
  ),
)

const useWords = defineWords(
  { width: 'Width of the source panel', source: (name: string) => `Source: ${name}` },
  { width: '来源面板的宽度', source: (name: string) => `来源：${name}` },
)

const stored = 'banyan.source-width'
const limits = { min: 320, step: 40 }

/** Limits the width in pixels, so that the page beside the panel keeps some room. */
const within = (width: number): number =>
  Math.round(Math.max(limits.min, Math.min(width, window.innerWidth - 420)))

const usualWidth = (): number => Number(readStored(stored)) || window.innerWidth * 0.4

/** Whether Escape first closes another element, or has its own meaning in a field. */
const ownsEscape = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('[role=dialog], .ant-popover, .ant-select-open, input, textarea, [contenteditable=true]') !==
    null

interface SourceSideProps {
  /** The path of the page. */
  path: string
}

/** The document of a passage, beside the page. It is no dialog: the page stays usable. */
export function SourceSide({ path }: SourceSideProps) {
  const words = useWords()
  const opened = useOpenedSource()
  const [width, setWidth] = useState(() => within(usualWidth()))
  const panel = useRef<HTMLElement>(null)
  const number = opened?.number

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other sources
  useEffect(() => () => closeSource({ returnFocus: false }), [path])
  useEffect(() => {
    if (number !== undefined) panel.current?.focus()
  }, [number])
  useEffect(() => {
    if (number === undefined) return
    const onKey = (event: KeyboardEvent): void => {
      const isInside = panel.current?.contains(event.target as Node) ?? false
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (isInside || !ownsEscape(event.target)) closeSource()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [number])

  const resize = (next: number): void => {
    const fitting = within(next)
    setWidth(fitting)
    store(stored, String(fitting))
  }
  if (!opened) return null
  return (
    <aside
      ref={panel}
      className="source-panel"
      tabIndex={-1}
      aria-label={words.source(opened.source.fileName)}
      style={{ width }}
    >
      <ResizeHandle label={words.width} width={width} onResize={resize} />
      <Suspense>
        <SourcePanel key={number} source={opened.source} />
      </Suspense>
    </aside>
  )
}

interface ResizeHandleProps {
  label: string
  width: number
  onResize: (width: number) => void
}

/** Changes the width with the pointer or with the arrow keys. */
function ResizeHandle({ label, width, onResize }: ResizeHandleProps) {
  const follow = (event: PointerEvent): void => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(window.innerWidth - event.clientX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a thematic break cannot be moved
    <div
      role="separator"
      tabIndex={0}
      className="source-handle"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={limits.min}
      aria-valuemax={within(Number.POSITIVE_INFINITY)}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={follow}
      onKeyDown={event => {
        if (event.key === 'ArrowLeft') onResize(width + limits.step)
        if (event.key === 'ArrowRight') onResize(width - limits.step)
      }}
    />
  )
}
