import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const containers = 'table, ul, ol, section, main'

/** The lists and parts of the page around an element, innermost first. */
function containersOf(element: Element | null | undefined): HTMLElement[] {
  const found = element?.closest<HTMLElement>(containers)
  return found ? [found, ...containersOf(found.parentElement)] : []
}

/**
 * Keeps the focus nearby when the focused element is removed together with this component: it moves to the surrounding
 * list or part of the page. The returned ref can name another element to start from; `start` may be removed earlier.
 */
export function useReturnFocus(start?: Element | null): RefObject<Element | null> {
  const before = useRef<Element>(null)
  const [first] = useState(() => containersOf(start))
  useLayoutEffect(
    () => () => {
      const around = [...first, ...containersOf(before.current ?? document.activeElement)]
      // Runs after everything is removed, unless another element has taken the focus.
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
