import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Closer to the end than this counts as being at the end. */
const nearEnd = 60

interface Stick {
  onScroll: () => void
  isAtEnd: boolean
  goToEnd: () => void
}

/**
 * Keeps a message list scrolled to its end while it grows, unless the reader has scrolled away, and keeps the
 * scroll position when older messages are inserted above.
 */
export function useStickToEnd(
  box: RefObject<HTMLElement | null>,
  content: unknown,
  firstId: string | undefined,
  onTop: () => void,
): Stick {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const last = useRef({ firstId, height: 0, isAtEnd: true })

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown decides when there is something to do
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { firstId: before, height, isAtEnd: wasAtEnd } = last.current
    if (wasAtEnd) element.scrollTop = element.scrollHeight
    else if (before !== firstId && before !== undefined) element.scrollTop += element.scrollHeight - height
    last.current = { firstId, height: element.scrollHeight, isAtEnd: wasAtEnd }
  }, [content, firstId])

  // Images and lazily loaded parts grow without a new message.
  useLayoutEffect(() => {
    const element = box.current
    const inner = element?.firstElementChild
    if (!element || !inner) return
    const observer = new ResizeObserver(() => {
      if (last.current.isAtEnd) element.scrollTop = element.scrollHeight
    })
    observer.observe(inner)
    return () => observer.disconnect()
  }, [box])

  const onScroll = useCallback(() => {
    const element = box.current
    if (!element) return
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    last.current.isAtEnd = isNear
    last.current.height = element.scrollHeight
    setIsAtEnd(isNear)
    if (element.scrollTop < 120) onTop()
  }, [box, onTop])

  const goToEnd = useCallback(() => {
    last.current.isAtEnd = true
    setIsAtEnd(true)
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [box])
  return { onScroll, isAtEnd, goToEnd }
}
