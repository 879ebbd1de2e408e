import { useEffect, useEffectEvent } from 'react'
import type { Commands } from './commands.ts'
import type { Canvas } from './create-canvas.ts'

/** Copying, cutting and pasting through the system's clipboard, while the canvas has the keyboard. */
export function useClipboard(
  element: HTMLElement | null,
  canvas: Canvas | undefined,
  commands: Commands,
): void {
  const isHere = (): boolean => element?.contains(document.activeElement) ?? false
  const onCopy = useEffectEvent((event: ClipboardEvent): void => {
    const text = isHere() ? commands.copied() : undefined
    if (text === undefined) return
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    if (event.type !== 'cut') return
    commands.remove()
    canvas?.focus(undefined)
  })
  const onPaste = useEffectEvent((event: ClipboardEvent): void => {
    const text = isHere() ? event.clipboardData?.getData('text/plain') : undefined
    if (text) commands.paste(text)
  })
  useEffect(() => {
    const copy = (event: ClipboardEvent): void => onCopy(event)
    const paste = (event: ClipboardEvent): void => onPaste(event)
    document.addEventListener('copy', copy)
    document.addEventListener('cut', copy)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('cut', copy)
      document.removeEventListener('paste', paste)
    }
  }, [])
}
