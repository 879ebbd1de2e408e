import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const containers = 'table, ul, ol, section, main'

/** The lists and parts of the page around an element, innermost first. */
function containersOf(element: Element | null | undefined): HTMLElement[] {
  const found = element?.closest<HTMLElement>(containers)
  return found ? [found, ...containersOf(found.parentElement)] : []
}

/**
 * Keeps the focus near where it was when it is removed from the page together with this component: it goes to `start`, or
 * to the list or part of the page around it. What is returned holds where it was, if that is not where it is at the end;
 * `start` may be removed earlier. What matches `closing` is removed or hidden a moment later.
 */
export function useReturnFocus(start?: Element | null, closing?: string): RefObject<Element | null> {
  const before = useRef<Element>(null)
  const [[opener, first]] = useState(() => [start, containersOf(start)] as const)
  useLayoutEffect(
    () => () => {
      const around = [...first, ...containersOf(before.current ?? document.activeElement)]
      // Runs after everything is removed, unless another element has taken the focus.
      requestAnimationFrame(() => {
        const { activeElement, body } = document
        if (activeElement !== body && (!closing || !activeElement?.closest(closing))) return
        const isFocusable = opener instanceof HTMLElement || opener instanceof SVGElement
        if (isFocusable && opener !== body && opener.checkVisibility())
          return opener.focus({ preventScroll: true })
        const next = around.find(each => each.checkVisibility()) ?? document.querySelector('main')
        if (!next) return
        next.tabIndex = -1
        next.focus({ preventScroll: true })
      })
    },
    [opener, first, closing],
  )
  return before
}
