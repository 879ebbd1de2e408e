import { useEffect, useRef, useState } from 'react'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Takes files that are dropped anywhere on the page; tells whether some hang above it. */
export function useDrop(onFiles: (files: File[]) => void, isEnabled: boolean): boolean {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    if (!isEnabled) return
    // Every element on the way is entered and left.
    let depth = 0
    const enter = (event: DragEvent): void => {
      if (hasFiles(event)) setIsOver(++depth > 0)
    }
    const leave = (event: DragEvent): void => {
      if (hasFiles(event)) setIsOver(--depth > 0)
    }
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = 0
      setIsOver(false)
      latest.current([...(event.dataTransfer?.files ?? [])])
    }
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const
    for (const [name, listener] of Object.entries(listeners))
      window.addEventListener(name as keyof typeof listeners, listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        window.removeEventListener(name as keyof typeof listeners, listener)
    }
  }, [isEnabled])
  return isOver
}
