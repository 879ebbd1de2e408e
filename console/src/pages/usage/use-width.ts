import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The width that an element has, as it changes. */
export function useWidth<Found extends Element>(): [RefObject<Found | null>, number] {
  const element = useRef<Found>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [])
  return [element, width]
}
