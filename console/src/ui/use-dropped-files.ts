import { useEffect, useEffectEvent, useState } from 'react'
import { hasFiles } from './stray-files.ts'

/** A dialog covers the page, so that a file that is dropped on it is not for the page. */
const isInDialog = ({ target }: DragEvent): boolean =>
  target instanceof Element && target.closest('[role="dialog"], dialog') !== null

/** Takes files that are dropped anywhere on the page; returns whether files are dragged over it. */
export function useDroppedFiles(onDrop: (data: DataTransfer) => void, isEnabled: boolean): boolean {
  const [isOver, setIsOver] = useState(false)
  const take = useEffectEvent(onDrop)
  useEffect(() => {
    if (!isEnabled) return
    const ending = new AbortController()
    // Moving from one element to another fires enter and leave.
    let depth = 0
    const listen = (type: 'dragenter' | 'dragleave' | 'dragover' | 'drop', step: () => number): void =>
      document.addEventListener(
        type,
        event => {
          if (!hasFiles(event)) return
          depth = step()
          setIsOver(depth > 0 && !isInDialog(event))
          if (isInDialog(event)) return
          event.preventDefault()
          if (type === 'drop') take(event.dataTransfer!)
        },
        { signal: ending.signal },
      )
    listen('dragenter', () => depth + 1)
    listen('dragleave', () => depth - 1)
    listen('dragover', () => depth)
    listen('drop', () => 0)
    return () => {
      ending.abort()
      setIsOver(false)
    }
  }, [isEnabled])
  return isOver
}
