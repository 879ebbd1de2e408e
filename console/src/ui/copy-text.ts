/** Copies a text, or throws if the browser does not allow it. */
export async function copyToClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Browsers provide no clipboard API to pages on plain HTTP or without permission.
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
