import { CellView, EdgeView, type Node, NodeView } from '@antv/x6'
import { cardSize } from './card-size.ts'
import { fitText, textWidth } from './fit-text.ts'
import { kindIconPath } from './kind-icon.tsx'
import type { CardShape, Port } from './ports.ts'
import type { Card } from './scene.ts'

const { width } = cardSize
const sans = getComputedStyle(document.documentElement).getPropertyValue('--sans') || 'sans-serif'
const fonts = {
  title: `600 13px ${sans}`,
  soft: `11.5px ${sans}`,
  port: `500 11.5px ${sans}`,
  mark: `600 11px ${sans}`,
}
const namespace = 'http://www.w3.org/2000/svg'

type Attributes = Record<string, string | number>

export function drawn(
  parent: Element,
  name: string,
  className: string,
  attributes: Attributes = {},
): SVGElement {
  const element = document.createElementNS(namespace, name)
  element.setAttribute('class', className)
  if (name === 'text') element.setAttribute('aria-hidden', 'true')
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  parent.appendChild(element)
  return element
}

/** SVG text is truncated here, and only when it changes. */
function write(element: Element, text: string, room: number, font: string): void {
  const fitting = fitText(text, room, font)
  if (element.textContent !== fitting) element.textContent = fitting
}

type PartName =
  | 'press'
  | 'title'
  | 'kind'
  | 'detail'
  | 'icon'
  | 'badge'
  | 'badgeText'
  | 'mark'
  | 'markBack'
  | 'markText'
  | 'in'
  | 'ring'
  | 'body'
  | 'ports'

/** A click on a port adds a node there; dragging it draws an edge. */
function drawPort(parent: Element, { branch, label, y, isError }: Port): void {
  const group = drawn(parent, 'g', isError ? 'card-out is-error' : 'card-out')
  const text = drawn(group, 'text', 'card-port-label', { x: width - 14, y: y + 4 })
  write(text, label, width - 40, fonts.port)
  const circle = drawn(group, 'circle', 'card-port', {
    cx: width,
    cy: y,
    r: 6,
    magnet: 'true',
    'data-port': 'out',
    ...(branch !== undefined && { 'data-branch': branch }),
  })
  drawn(circle, 'title', '').textContent = label
  drawn(group, 'path', 'card-plus', { d: `M ${width - 3.5} ${y} h 7 M ${width} ${y - 3.5} v 7` })
}

let shared: object | undefined
/** X6 deep-copies the same options for every view, which takes longer than drawing. */
export function sharedOptions(options: object) {
  shared ??= CellView.getOptions({})
  return { ...shared, ...options } as ReturnType<typeof CellView.getOptions>
}

export class WireView extends EdgeView {
  #drawn: unknown

  protected override ensureOptions(options: object) {
    return sharedOptions(options)
  }

  override render(): this {
    this.#drawn = undefined
    return super.render()
  }

  /** An edge that only moves keeps its attributes; setting them all again takes ten times as long as moving its line. */
  override update(options: object = {}): this {
    const attributes = this.cell.prop('attrs')
    if (attributes !== this.#drawn) {
      this.#drawn = attributes
      return super.update(options)
    }
    this.cleanCache()
    this.updateConnection(options)
    const line = this.getConnectionPathData()
    for (const name of ['wrap', 'line']) this.findOne(name)?.setAttribute('d', line)
    this.updateLabelPositions()
    return this
  }
}

/**
 * Draws a node as a card in plain SVG. Going through X6's markup or a React root per node costs far more, and
 * panning 500 cards has to be smooth.
 */
export class CardView extends NodeView {
  #parts: Record<PartName, SVGElement> = undefined as never

  protected override ensureOptions(options: object) {
    return sharedOptions(options)
  }

  protected override renderMarkup(): void {
    const root = this.container
    // The focusable button is beside the texts, not around them, because it has its own label.
    const press = drawn(root, 'g', 'card-press', { role: 'button', tabindex: -1 })
    const ring = drawn(press, 'rect', 'card-ring', { x: -4, y: -4, width: width + 8, rx: 14 })
    const body = drawn(press, 'rect', 'card-body', { width, rx: 10 })
    drawn(root, 'rect', 'card-tile', { x: 11, y: 11, width: 30, height: 30, rx: 8 })
    const mark = drawn(root, 'g', 'card-mark')
    const badge = drawn(root, 'g', 'card-badge', { transform: `translate(${width - 4},4)` })
    drawn(badge, 'circle', 'card-badge-back', { r: 9.5 })
    this.#parts = {
      press,
      ring,
      body,
      icon: drawn(root, 'path', 'card-icon', { transform: 'translate(17,17) scale(1.125)' }),
      title: drawn(root, 'text', 'card-title', { x: 51, y: 24 }),
      kind: drawn(root, 'text', 'card-kind', { x: 51, y: 39 }),
      detail: drawn(root, 'text', 'card-detail', { x: 12, y: 62 }),
      badge,
      badgeText: drawn(badge, 'text', 'card-badge-text', { y: 3.8 }),
      mark,
      markBack: drawn(mark, 'rect', 'card-mark-back', { y: -10, height: 20, rx: 10 }),
      markText: drawn(mark, 'text', 'card-mark-text', { x: 9, y: 4 }),
      in: drawn(root, 'circle', 'card-port', { r: 6, cx: 0, magnet: 'passive', 'data-port': 'in' }),
      ports: drawn(root, 'g', 'card-ports'),
    }
    // On top of everything, so that a badge does not cover it.
    root.append(badge, mark, this.#parts.in, this.#parts.ports)
  }

  override update(): void {
    this.cleanCache()
    const card = (this.cell as Node).getData<Card>()
    const parts = this.#parts
    this.#notify(card)
    parts.icon.setAttribute('d', kindIconPath(card.kind))
    // A kind that says the same as the title is left out.
    const isNamed = card.kindTitle !== card.title
    parts.title.setAttribute('y', isNamed ? '24' : '31')
    write(parts.title, card.title, width - 51 - 10, fonts.title)
    write(parts.kind, isNamed ? card.kindTitle : '', width - 51 - 10, fonts.soft)
    write(parts.detail, card.detail, width - 24, fonts.soft)
    parts.badge.toggleAttribute('hidden', card.findings === 0)
    write(parts.badgeText, card.findings > 9 ? '9+' : String(card.findings), 40, fonts.mark)
    parts.mark.toggleAttribute('hidden', card.mark === undefined)
    write(parts.markText, card.markText, 150, fonts.mark)
    const markWidth = Math.min(textWidth(card.markText, fonts.mark), 150) + 18
    parts.markBack.setAttribute('width', String(markWidth))
    parts.mark.setAttribute('transform', `translate(${width - 10 - markWidth},${card.shape.height})`)
    parts.in.toggleAttribute('hidden', !card.hasIn)
    this.#shape(card.shape)
  }

  #drawn: CardShape | undefined

  /** Draws the parts that depend on the branches, which rarely change. */
  #shape(shape: CardShape): void {
    if (shape === this.#drawn) return
    this.#drawn = shape
    const { ring, body, ports, in: incoming } = this.#parts
    ring.setAttribute('height', String(shape.height + 8))
    body.setAttribute('height', String(shape.height))
    incoming.setAttribute('cy', String(shape.height / 2))
    ports.replaceChildren()
    for (const port of shape.ports) drawPort(ports, port)
  }

  focus(): boolean {
    const { press } = this.#parts ?? {}
    if (!press?.isConnected) return false
    press.focus({ preventScroll: true })
    return true
  }

  /** Attributes for style sheets, tests and screen readers. */
  #notify(card: Card): void {
    const { press } = this.#parts
    press.setAttribute('aria-label', card.label)
    press.setAttribute('aria-pressed', String(card.isSelected))
    press.setAttribute('data-node', card.id)
    this.container.toggleAttribute('data-selected', card.isSelected)
    this.container.toggleAttribute('data-disabled', card.isDisabled)
    this.container.setAttribute('data-group', card.group)
    for (const [name, value] of Object.entries({ 'data-severity': card.severity, 'data-mark': card.mark }))
      for (const element of [press, this.container])
        if (value === undefined) element.removeAttribute(name)
        else element.setAttribute(name, value)
  }
}

CardView.config({ actions: { data: ['update'] } })
