/**
 * Hides keys that an input method takes, such as Enter for one of its proposals, from all handlers of the page. Safari
 * ends the composition before the key event that confirms it (WebKit bug 165004), so that only the key code shows it.
 */
export function ignoreComposedKeys(page: EventTarget): void {
  const ignore = (event: Event): void => {
    const { isComposing, keyCode, target } = event as KeyboardEvent
    const isTaken = isComposing || keyCode === 229
    // CodeMirror handles these keys itself.
    if (isTaken && !(target as Partial<Element> | null)?.closest?.('.cm-editor'))
      event.stopImmediatePropagation()
  }
  page.addEventListener('keydown', ignore, { capture: true })
}
