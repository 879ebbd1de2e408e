const parts = '[role=dialog], [data-canvas-panel]'
const inUse = `input, textarea, [contenteditable=true], ${parts}`

/** Moves the focus to an element that has just appeared, unless the user is in a dialog or another part of the page. */
export function offerFocus(element: HTMLElement | null | undefined): void {
  const used = document.activeElement?.closest(inUse)
  if (used && used.closest(parts) !== element?.closest(parts)) return
  element?.focus({ preventScroll: true })
}
