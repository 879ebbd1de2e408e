import { Input } from 'antd'
import { useRef, useState } from 'react'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import { cardSize } from './card-size.ts'
import type { Canvas } from './create-canvas.ts'

/** The title of a node, edited on its card: Enter and leaving it confirm, Escape does not. */
export function InlineRename({ id, canvas, onClose }: { id: string; canvas: Canvas; onClose(): void }) {
  const words = useCanvasWords()
  const { store } = useWorkflowEditor()
  const { graph } = useEditorState()
  const node = graph.nodes.find(each => each.id === id)
  const [title, setTitle] = useState(node?.data.title ?? '')
  const isOver = useRef(false)
  const card = canvas.scene().cards.find(each => each.id === id)
  if (!node || !card) return null
  const { x, y, scale } = canvas.camera.view()
  const close = (isKept: boolean): void => {
    if (isOver.current) return
    isOver.current = true
    if (isKept && title.trim() !== '' && title !== node.data.title)
      store.edit({ type: 'node.change', id, data: { ...node.data, title: title.trim() } })
    onClose()
    canvas.focus(id)
  }
  return (
    <Input
      autoFocus
      className="canvas-rename"
      aria-label={words.rename}
      value={title}
      style={{
        left: (card.x - x) * scale + 44 * scale,
        top: (card.y - y) * scale + 4 * scale,
        width: Math.max(140, (cardSize.width - 50) * scale),
      }}
      onFocus={event => event.target.select()}
      onChange={event => setTitle(event.target.value)}
      onBlur={() => close(true)}
      onKeyDown={event => {
        event.stopPropagation()
        if (event.key === 'Enter') close(true)
        if (event.key === 'Escape') close(false)
      }}
    />
  )
}
