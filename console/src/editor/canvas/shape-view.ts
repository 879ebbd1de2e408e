import { type Graph, type Node, NodeView } from '@antv/x6'
import { groupFrame } from '../model/shapes.ts'
import { drawn, sharedOptions } from './card-view.ts'
import { fitText } from './fit-text.ts'
import { type DrawnShape, frameOf } from './shape-scene.ts'

export const noteShape = 'banyan-note'
export const groupShape = 'banyan-group'

/** A node id and the id of a note could be the same text. */
export const shapeCellId = (id: string): string => `shape ${id}`

/** The id of the note or group that a cell shows; undefined for cards. */
export const shapeIdOf = (cell: Node): string | undefined =>
  cell.shape === noteShape || cell.shape === groupShape ? cell.getData<DrawnShape>().id : undefined

export interface FocusableView {
  focus(): boolean
}

/** The common base of notes and groups: a button with their label, and their colour. */
abstract class ShapeView extends NodeView implements FocusableView {
  protected press: SVGElement = undefined as never
  protected ring: SVGElement = undefined as never

  protected override ensureOptions(options: object) {
    return sharedOptions(options)
  }

  protected override renderMarkup(): void {
    this.press = drawn(this.container, 'g', 'shape-press', { role: 'button', tabindex: -1 })
    this.ring = drawn(this.press, 'rect', 'shape-ring', { x: -3, y: -3, rx: 9 })
    this.renderParts()
  }

  protected abstract renderParts(): void
  protected abstract updateParts(shape: DrawnShape, width: number, height: number): void

  override update(): void {
    this.cleanCache()
    const cell = this.cell as Node
    const shape = cell.getData<DrawnShape>()
    // The size of the cell, because the scene is older while the cell is resized or its members move.
    const { width, height } = cell.getSize()
    this.press.setAttribute('aria-label', shape.label)
    this.press.setAttribute('aria-pressed', String(shape.isSelected))
    this.press.setAttribute('data-shape-id', shape.id)
    this.container.setAttribute('data-color', shape.source.color)
    this.container.toggleAttribute('data-selected', shape.isSelected)
    setSize(this.ring, width + 6, height + 6)
    this.updateParts(shape, width, height)
  }

  focus(): boolean {
    if (!this.press?.isConnected) return false
    this.press.focus({ preventScroll: true })
    return true
  }
}

function setSize(element: Element, width: number, height: number): void {
  element.setAttribute('width', String(width))
  element.setAttribute('height', String(height))
}

/** A sticky note. Drawn as HTML inside the SVG, because SVG text does not wrap. */
export class NoteView extends ShapeView {
  #body: SVGElement = undefined as never
  #page: SVGElement = undefined as never
  #text: HTMLElement = undefined as never
  #handle: SVGElement = undefined as never

  protected override renderParts(): void {
    this.#body = drawn(this.press, 'rect', 'note-body', { rx: 6 })
    this.#page = drawn(this.container, 'foreignObject', 'note-page', { 'aria-hidden': 'true' })
    this.#text = document.createElement('div')
    this.#text.className = 'note-text'
    this.#page.append(this.#text)
    this.#shown = undefined
    this.#handle = drawn(this.container, 'path', 'note-resize')
  }

  protected override updateParts({ source }: DrawnShape, width: number, height: number): void {
    if (source.type !== 'note') return
    setSize(this.#body, width, height)
    setSize(this.#page, width, height)
    if (this.#shown !== source.text) this.#showText(source.text)
    this.#handle.setAttribute('d', `M ${width - 14} ${height} L ${width} ${height - 14} V ${height} Z`)
  }

  #shown: string | undefined

  /** Shows plain text until the formatting is loaded, which a workflow without notes does not need. */
  #showText(text: string): void {
    if (this.#shown === undefined) this.#text.textContent = text
    this.#shown = text
    const show = (format: typeof import('./note-text.tsx')): void => {
      if (this.#shown === text) format.showNoteText(this.#text, text)
    }
    // Without its chunk, which an updated server no longer has, the text stays as it is.
    import('./note-text.tsx').then(show, () => {
      this.#text.textContent = text
    })
  }
}

const titleFont = '600 13px sans-serif'

/** The frame of a group. Only its head takes the pointer: inside it, the canvas works as elsewhere. */
export class GroupView extends ShapeView {
  #body: SVGElement = undefined as never
  #head: SVGElement = undefined as never
  #title: SVGElement = undefined as never

  protected override renderParts(): void {
    this.#body = drawn(this.container, 'rect', 'group-body', { rx: 12 })
    this.container.prepend(this.#body)
    this.#head = drawn(this.press, 'rect', 'group-head', { rx: 8, height: groupFrame.head + 6 })
    this.#title = drawn(this.container, 'text', 'group-title', { x: 14, y: 22 })
  }

  protected override updateParts({ source }: DrawnShape, width: number, height: number): void {
    if (source.type !== 'group') return
    setSize(this.#body, width, height)
    this.#head.setAttribute('width', String(width))
    const title = fitText(source.title, width - 28, titleFont)
    if (this.#title.textContent !== title) this.#title.textContent = title
  }
}

NoteView.config({ actions: { data: ['update'] } })
GroupView.config({ actions: { data: ['update'] } })

/** Moves the frames of groups with their members while those are dragged or resized. */
export function followMembers(graph: Graph, shapes: readonly DrawnShape[]): void {
  for (const { id, source } of shapes) {
    const cell = graph.getCellById(shapeCellId(id)) as Node | null
    if (source.type !== 'group' || !cell) continue
    const frame = frameOf(source, (member, isNote) => {
      const found = graph.getCellById(isNote ? shapeCellId(member) : member) as Node | null
      return found ? { ...found.getPosition(), ...found.getSize() } : undefined
    })
    if (!frame) continue
    cell.setPosition(frame.x, frame.y)
    cell.setSize(frame.width, frame.height)
  }
}
