import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { readStored, store } from '../../ui/storage.ts'
import { useEditorWords } from './editor-words.ts'

const key = 'banyan.editor-panel'
const [minWidth, usualWidth, maxWidth] = [280, 352, 900]
const step = 16

/** The canvas keeps at least this much of the window. */
const canvasRoom = 360

const fitting = (width: number): number =>
  Math.round(Math.max(minWidth, Math.min(width, maxWidth, window.innerWidth - canvasRoom)))

/** The width of the side panel in pixels, remembered in this browser. */
export function usePanelWidth(): [number, (width: number | undefined) => number] {
  const [width, setWidth] = useState(() => {
    const stored = Number(readStored(key))
    return stored > 0 ? fitting(stored) : usualWidth
  })
  return [
    width,
    next => {
      const chosen = fitting(next ?? usualWidth)
      setWidth(chosen)
      store(key, String(chosen))
      return chosen
    },
  ]
}

interface PanelResizerProps {
  width: number
  /** Undefined resets to the usual width. */
  onResize(width: number | undefined): void
}

/** The left border of the side panel: dragged, moved by arrow keys, and reset by a double click. */
export function PanelResizer({ width, onResize }: PanelResizerProps) {
  const words = useEditorWords()
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    const { clientX: start, pointerId } = event
    const handle: HTMLElement = event.currentTarget
    handle.setPointerCapture(pointerId)
    const ending = new AbortController()
    const { signal } = ending
    handle.addEventListener(
      'pointermove',
      (moved: globalThis.PointerEvent) => onResize(width + start - moved.clientX),
      { signal },
    )
    for (const type of ['pointerup', 'pointercancel'])
      handle.addEventListener(type, () => ending.abort(), { signal })
  }
  const press = (event: KeyboardEvent): void => {
    const far = event.shiftKey ? 5 : 1
    const widths: Record<string, number> = {
      ArrowLeft: width + step * far,
      ArrowRight: width - step * far,
      Home: maxWidth,
      End: minWidth,
    }
    if (event.key === 'Enter') onResize(undefined)
    else if (Object.hasOwn(widths, event.key)) onResize(widths[event.key])
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` cannot be focused and moved
    <div
      role="separator"
      className="panel-resizer"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={words.panelWidth}
      aria-valuenow={width}
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      title={words.panelWidthHow}
      onPointerDown={drag}
      onDoubleClick={() => onResize(undefined)}
      onKeyDown={press}
    />
  )
}
