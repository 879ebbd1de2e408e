import type { Graph, Node } from '@antv/x6'
import { minNoteSize } from '../model/shapes.ts'
import type { Camera } from './camera.ts'
import { gridStep } from './card-size.ts'
import { shapeIdOf } from './shape-view.ts'

export interface NoteResizeListener {
  mayEdit(): boolean
  onResizeNote(id: string, size: { width: number; height: number }): void
}

const isHandle = (event: Event): boolean =>
  event.target instanceof Element && event.target.classList.contains('note-resize')

const fitting = (size: number): number => Math.max(minNoteSize, Math.round(size / gridStep) * gridStep)

/** Resizes notes by the handle in their corner. `onMoved` is called while the handle is dragged. */
export function listenToNoteResize(
  graph: Graph,
  camera: Camera,
  listener: NoteResizeListener,
  onMoved: () => void,
): () => void {
  const { container } = graph
  const leaving = new AbortController()
  // Handled before X6 and the camera, which would move the note or the canvas.
  const options = { signal: leaving.signal, capture: true }
  const resize = (start: PointerEvent, note: Node, id: string): void => {
    const before = note.getSize()
    const drag = new AbortController()
    const { signal } = drag
    const { scale } = camera.view()
    const move = (event: PointerEvent): void => {
      const width = fitting(before.width + (event.clientX - start.clientX) / scale)
      const height = fitting(before.height + (event.clientY - start.clientY) / scale)
      note.setSize(width, height)
      onMoved()
    }
    const stop = (): void => {
      drag.abort()
      const { width, height } = note.getSize()
      if (width !== before.width || height !== before.height) listener.onResizeNote(id, { width, height })
    }
    window.addEventListener('pointermove', move, { signal })
    window.addEventListener('pointerup', stop, { signal })
    window.addEventListener('pointercancel', stop, { signal })
  }
  container.addEventListener(
    'pointerdown',
    event => {
      if (!isHandle(event) || event.button !== 0) return
      const cellId = (event.target as Element).closest('.x6-node')?.getAttribute('data-cell-id')
      const note = cellId == null ? undefined : (graph.getCellById(cellId) as Node | undefined)
      const id = note && shapeIdOf(note)
      event.stopImmediatePropagation()
      if (note && id !== undefined && listener.mayEdit()) resize(event, note, id)
    },
    options,
  )
  container.addEventListener(
    'mousedown',
    event => isHandle(event) && event.stopImmediatePropagation(),
    options,
  )
  return () => leaving.abort()
}
