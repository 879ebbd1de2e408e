import { CellView, EdgeView, type Node, NodeView } from '@antv/x6'
import { cardSize } from './card-size.ts'
import { fitText, textWidth } from './fit-text.ts'
import { kindIconPath } from './kind-icon.tsx'
import type { Card } from './scene.ts'

const { width, height } = cardSize
const sans = getComputedStyle(document.documentElement).getPropertyValue('--sans') || 'sans-serif'
const fonts = { title: `600 13px ${sans}`, soft: `11.5px ${sans}`, mark: `600 11px ${sans}` }
const namespace = 'http://www.w3.org/2000/svg'

type Attributes = Record<string, string | number>

function draw(parent: Element, name: string, className: string, attributes: Attributes = {}): SVGElement {
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
  | 'out'

let shared: object | undefined
/** X6 deep-copies the same options for every view, which takes longer than drawing. */
function sharedOptions(options: object) {
  shared ??= CellView.getOptions({})
  return { ...shared, ...options } as ReturnType<typeof CellView.getOptions>
}

export class WireView extends EdgeView {
  protected override ensureOptions(options: object) {
    return sharedOptions(options)
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
    const press = draw(root, 'g', 'card-press', { role: 'button', tabindex: -1 })
    draw(press, 'rect', 'card-ring', { x: -4, y: -4, width: width + 8, height: height + 8, rx: 14 })
    draw(press, 'rect', 'card-body', { width, height, rx: 10 })
    draw(root, 'rect', 'card-tile', { x: 11, y: 11, width: 30, height: 30, rx: 8 })
    const mark = draw(root, 'g', 'card-mark')
    const badge = draw(root, 'g', 'card-badge', { transform: `translate(${width - 4},4)` })
    draw(badge, 'circle', 'card-badge-back', { r: 9.5 })
    const side = { cy: height / 2, r: 6 }
    this.#parts = {
      press,
      icon: draw(root, 'path', 'card-icon', { transform: 'translate(17,17) scale(1.125)' }),
      title: draw(root, 'text', 'card-title', { x: 51, y: 24 }),
      kind: draw(root, 'text', 'card-kind', { x: 51, y: 39 }),
      detail: draw(root, 'text', 'card-detail', { x: 12, y: 62 }),
      badge,
      badgeText: draw(badge, 'text', 'card-badge-text', { y: 3.8 }),
      mark,
      markBack: draw(mark, 'rect', 'card-mark-back', { y: -10, height: 20, rx: 10 }),
      markText: draw(mark, 'text', 'card-mark-text', { x: 9, y: 4 }),
      in: draw(root, 'circle', 'card-port', { ...side, cx: 0, magnet: 'passive', 'data-port': 'in' }),
      out: draw(root, 'circle', 'card-port', { ...side, cx: width, magnet: 'true', 'data-port': 'out' }),
    }
    // On top of everything, so that a badge does not cover it.
    root.append(badge, mark, this.#parts.in, this.#parts.out)
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
    parts.mark.setAttribute('transform', `translate(${width - 10 - markWidth},${height})`)
    parts.in.toggleAttribute('hidden', !card.hasIn)
    parts.out.toggleAttribute('hidden', !card.hasOut)
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
    this.container.setAttribute('data-group', card.group)
    for (const [name, value] of Object.entries({ 'data-severity': card.severity, 'data-mark': card.mark }))
      for (const element of [press, this.container])
        if (value === undefined) element.removeAttribute(name)
        else element.setAttribute(name, value)
  }
}

CardView.config({ actions: { data: ['update'] } })
