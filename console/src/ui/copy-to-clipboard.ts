/** Copies a text, or throws where the browser does not let it be copied. */
export async function copyToClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // To a page that came over plain HTTP, or that may not use it, browsers give no clipboard of their own.
    copyBySelection(text)
  }
}

function copyBySelection(text: string): void {
  let isTaken = false
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
    isTaken = true
  }
  document.addEventListener('copy', onCopy, { capture: true })
  const isDone = document.execCommand('copy')
  document.removeEventListener('copy', onCopy, { capture: true })
  if (!isDone || !isTaken) throw new Error('The browser does not let this page copy')
}
