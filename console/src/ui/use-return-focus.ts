import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const containers = 'table, ul, ol, section, main'

/** The lists and parts of the page around an element, from the inside. */
function containersOf(element: Element | null | undefined): HTMLElement[] {
  const found = element?.closest<HTMLElement>(containers)
  return found ? [found, ...containersOf(found.parentElement)] : []
}

/**
 * Keeps the focus near where it was when it is removed from the page together with this component: it goes to the list
 * or part of the page around it. What is returned holds where it was, if that is not where it is at the end; `start` may be
 * removed earlier.
 */
export function useReturnFocus(start?: Element | null): RefObject<Element | null> {
  const before = useRef<Element>(null)
  const [first] = useState(() => containersOf(start))
  useLayoutEffect(
    () => () => {
      const around = [...first, ...containersOf(before.current ?? document.activeElement)]
      // When all is removed, and unless something else has taken the focus.
      requestAnimationFrame(() => {
        const next = around.find(({ isConnected }) => isConnected)
        if (!next || document.activeElement !== document.body) return
        next.tabIndex = -1
        next.focus({ preventScroll: true })
      })
    },
    [first],
  )
  return before
}
