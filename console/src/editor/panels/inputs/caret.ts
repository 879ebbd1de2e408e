/** Where a position of a text is on the screen, by a mirror that draws the same text as plain nodes. */
export function caretPlace(
  mirror: HTMLElement,
  position: number,
): { left: number; top: number; bottom: number } {
  const walker = document.createTreeWalker(mirror, NodeFilter.SHOW_TEXT)
  let left = position
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0
    if (left <= length) {
      const range = document.createRange()
      range.setStart(node, left)
      range.collapse(true)
      const rectangle = range.getClientRects()[0]
      if (rectangle) return rectangle
      break
    }
    left -= length
  }
  return mirror.getBoundingClientRect()
}

/**
 * Makes the text of a field another one as if it had been typed, so that the browser's own undo knows of it. Only what
 * differs is replaced.
 */
export function replaceText(
  element: HTMLTextAreaElement,
  next: string,
  otherwise: (text: string) => void,
): void {
  const old = element.value
  if (old === next) return
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  element.focus()
  element.setSelectionRange(start, old.length - end)
  const piece = next.slice(start, next.length - end)
  const isDone =
    piece === '' ? document.execCommand('delete') : document.execCommand('insertText', false, piece)
  if (!isDone) otherwise(next)
}
