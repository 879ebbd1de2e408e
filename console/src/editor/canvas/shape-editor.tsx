import { Input } from 'antd'
import { useRef, useState } from 'react'
import { shapeLimits, shapeOf } from '../model/shapes.ts'
import { useEditorState } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'
import type { Canvas } from './create-canvas.ts'
import type { Scene } from './scene.ts'

interface ShapeEditorProps {
  id: string
  canvas: Canvas
  /** May be newer than what the canvas has drawn: a note that was just added is edited at once. */
  scene: Scene
  commands: Commands
  onClose(): void
}

/**
 * The text of a note or the name of a group, edited in place. Leaving the field confirms. Escape confirms a note, in
 * which Enter is a line break, and cancels a name.
 */
export function ShapeEditor({ id, canvas, scene, commands, onClose }: ShapeEditorProps) {
  const words = useCanvasWords()
  const { shapes } = useEditorState()
  const shape = shapeOf(shapes, id)
  const box = scene.shapes.find(each => each.id === id)
  const before = shape?.type === 'note' ? shape.text : (shape?.title ?? '')
  const [text, setText] = useState(before)
  const isOver = useRef(false)
  if (!shape || !box) return null
  const isNote = shape.type === 'note'
  const { x, y, scale } = canvas.camera.view()
  const close = (isKept: boolean, isLeft = false): void => {
    if (isOver.current) return
    isOver.current = true
    if (isKept && text !== before) {
      if (isNote) commands.shapes.changeNote(id, { text })
      else if (text.trim() !== '') commands.shapes.renameGroup(id, text.trim())
    }
    onClose()
    if (!isLeft) canvas.focusShape(id)
  }
  const field = {
    autoFocus: true,
    value: text,
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
    onBlur: () => close(true, true),
    onKeyDown: (event: React.KeyboardEvent) => {
      event.stopPropagation()
      if (event.key === 'Escape') close(isNote)
      if (event.key === 'Enter' && (!isNote || event.ctrlKey || event.metaKey)) close(true)
    },
  }
  const place = { left: (box.x - x) * scale, top: (box.y - y) * scale }
  return isNote ? (
    <textarea
      {...field}
      className="canvas-note-editor"
      data-color={shape.color}
      aria-label={words.noteText}
      placeholder={words.notePlaceholder}
      maxLength={shapeLimits.textLength}
      style={{ ...place, width: box.width, height: box.height, transform: `scale(${scale})` }}
      onFocus={event => event.target.setSelectionRange(text.length, text.length)}
    />
  ) : (
    <Input
      {...field}
      className="canvas-rename"
      aria-label={words.groupName}
      maxLength={shapeLimits.titleLength}
      style={{ left: place.left + 6 * scale, top: place.top + 2, width: Math.max(160, 240 * scale) }}
      onFocus={event => event.target.select()}
    />
  )
}
