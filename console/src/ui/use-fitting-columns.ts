import { useCallback, useRef, useState } from 'react'

/** A column is left out where the container is narrower than `from`. */
export type Fitting<Column> = Column & { from?: number }

/**
 * The columns that fit into the container, which may be much narrower than the window. The returned ref belongs to
 * the container.
 */
export function useFittingColumns<Column extends object>(columns: readonly Fitting<Column>[]) {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  const observer = useRef<ResizeObserver>(undefined)
  const container = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect()
    if (!element) return
    setWidth(element.clientWidth)
    observer.current = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.current.observe(element)
  }, [])
  const fitting = columns.filter(({ from = 0 }) => width >= from).map(({ from: _, ...column }) => column)
  return { container, columns: fitting as unknown as Column[] }
}
