import { type DragEvent, type ReactNode, useRef, useState } from 'react'

interface DropZoneProps {
  isOn: boolean
  label: string
  onFiles: (files: Iterable<File>) => void
  children: ReactNode
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** A chat that files can be dropped on. By keyboard they are attached with a button. */
export function DropZone({ isOn, label, onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false)
  // Leaving a child for its neighbour leaves and enters in turn.
  const depth = useRef(0)
  const move = (event: DragEvent, step: number): void => {
    if (!isOn || !hasFiles(event)) return
    event.preventDefault()
    depth.current += step
    setIsOver(depth.current > 0)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button to attach files does the same
    <div
      className="chat"
      onDragEnter={event => move(event, 1)}
      onDragLeave={event => move(event, -1)}
      onDragOver={event => move(event, 0)}
      onDrop={event => {
        if (!isOn || !hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setIsOver(false)
        onFiles(event.dataTransfer.files)
      }}
    >
      {children}
      {isOver && <div className="drop-cover">{label}</div>}
    </div>
  )
}
