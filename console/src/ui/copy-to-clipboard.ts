/** Copies a text; also where the page came over plain HTTP, to which browsers give no clipboard of their own. */
export async function copyToClipboard(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, { capture: true, once: true })
  document.execCommand('copy')
  document.removeEventListener('copy', onCopy, { capture: true })
}
