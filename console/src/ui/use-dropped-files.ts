import { useEffect, useEffectEvent, useState } from 'react'
import { hasFiles } from './stray-files.ts'

/** A dialog covers the page, so that a file that is dropped on it is not for the page. */
const isInDialog = ({ target }: DragEvent): boolean =>
  target instanceof Element && target.closest('[role="dialog"], dialog') !== null

interface FileListeners {
  onOver(isOver: boolean): void
  onDrop(data: DataTransfer): void
}

/** Reports files that are dragged over a page and dropped there. Returns how to end that. */
export function listenForFiles(page: Document, { onOver, onDrop }: FileListeners): () => void {
  const ending = new AbortController()
  /**
   * What the pointer entered last, which happens before it leaves anything: if it leaves just that, it has left the page.
   * Counting both would fail where an element is removed below the pointer, because it is never left.
   */
  let entered: EventTarget | null = null
  const listen = (
    type: 'dragenter' | 'dragleave' | 'dragover' | 'drop',
    next: (target: EventTarget | null) => EventTarget | null,
  ): void =>
    page.addEventListener(
      type,
      event => {
        if (!hasFiles(event)) return
        entered = next(event.target)
        onOver(entered !== null && !isInDialog(event))
        if (isInDialog(event)) return
        event.preventDefault()
        if (type === 'drop') onDrop(event.dataTransfer!)
      },
      { signal: ending.signal },
    )
  listen('dragenter', target => target)
  listen('dragleave', target => (target === entered ? null : entered))
  listen('dragover', () => entered)
  listen('drop', () => null)
  return () => ending.abort()
}

/** Takes files that are dropped anywhere on the page; returns whether files are dragged over it. */
export function useDroppedFiles(onDrop: (data: DataTransfer) => void, isEnabled: boolean): boolean {
  const [isOver, setIsOver] = useState(false)
  const take = useEffectEvent(onDrop)
  useEffect(() => {
    if (!isEnabled) return
    const end = listenForFiles(document, { onOver: setIsOver, onDrop: data => take(data) })
    return () => {
      end()
      setIsOver(false)
    }
  }, [isEnabled])
  return isOver
}
