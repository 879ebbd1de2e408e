import type { Alignment } from '../model/align.ts'
import { cardSize, gridStep, nodeGap } from './card-size.ts'
import type { Commands } from './commands.ts'
import type { Canvas } from './create-canvas.ts'
import type { NewNodeSpot } from './node-picker.tsx'
import type { Card, Scene, Wire } from './scene.ts'

interface KeyTargets {
  canvas: Canvas
  commands: Commands
  mayWrite: boolean
  select(ids: string[], shapeIds?: string[]): void
  selectEdge(key: string): void
  onOpenNode(id: string): void
  onOpenEdge(): void
  onConnectFrom(id: string): void
  /** Opens the node picker. */
  onAdd(spot: NewNodeSpot): void
  onFind(): void
  onRename(id: string): void
  /** Opens the menu of the focused card, the selected edge, or the ground. */
  onMenu(id: string | undefined): void
  onSearchKinds(): void
  /** Adds a note in the middle of the view. */
  onAddNote(): void
  onGroup(): void
  /** Edits the text of a note, or the name of a group. */
  onEditShape(id: string): void
}

type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

const steps: Readonly<Record<Direction, { x: number; y: number }>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Handles a key on the canvas; returns true if it was handled. */
export function pressKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  if (Object.hasOwn(steps, event.key)) return pressResize(event, targets) || pressArrow(event, targets)
  if (event.ctrlKey || event.metaKey) return pressCommand(event, targets)
  if (event.altKey) return pressAlign(event, targets)
  return event.key === 'Tab' ? pressTab(event, targets) : pressPlain(event, targets)
}

function pressCommand(event: KeyboardEvent, { canvas, commands, onFind, onGroup }: KeyTargets): boolean {
  switch (event.key.toLowerCase()) {
    case 'g':
      if (event.shiftKey) commands.shapes.ungroup()
      else onGroup()
      return true
    case 'f':
      onFind()
      return true
    case 'a':
      commands.selectAll()
      canvas.focus(undefined)
      return true
    case 'd':
      commands.duplicate()
      return true
    default:
      return false
  }
}

/** With Ctrl, the selected notes become larger or smaller. */
function pressResize(event: KeyboardEvent, { canvas, commands }: KeyTargets): boolean {
  const isNote = canvas.scene().shapes.some(({ isSelected, source }) => isSelected && source.type === 'note')
  if (!(event.ctrlKey || event.metaKey) || !isNote) return false
  const { x, y } = steps[event.key as Direction]
  commands.shapes.resizeNotes(x * gridStep, y * gridStep)
  return true
}

/** By the physical key, because on some systems Alt types other characters. */
const aligned: Readonly<Record<string, Alignment>> = {
  KeyA: 'left',
  KeyH: 'centre',
  KeyD: 'right',
  KeyW: 'top',
  KeyV: 'middle',
  KeyS: 'bottom',
}
const distributed: Readonly<Record<string, Alignment>> = { KeyH: 'across', KeyV: 'down' }

function pressAlign(event: KeyboardEvent, { commands }: KeyTargets): boolean {
  const how = (event.shiftKey ? distributed : aligned)[event.code]
  if (how) commands.align(how)
  return how !== undefined
}

function pressPlain(event: KeyboardEvent, { canvas, commands, select, ...targets }: KeyTargets): boolean {
  const { camera } = canvas
  const here = focusedCard(canvas)
  const onEdge = canvas.scene().wires.some(wire => wire.isSelected)
  const shape = here ? undefined : focusedShape(canvas)
  switch (event.key) {
    case 'Delete':
    case 'Backspace':
      commands.remove()
      // From an edge, focus returns to the card it belongs to.
      canvas.focus(onEdge ? here?.id : undefined)
      return true
    case 'Escape':
      select(onEdge && here ? [here.id] : [])
      canvas.focus(onEdge ? here?.id : undefined)
      return true
    case 'e':
    case 'E': {
      const wire = here && nextWire(canvas.scene(), here, event.shiftKey)
      if (wire) targets.selectEdge(wire.key)
      return true
    }
    case 'Enter':
      if (onEdge) targets.onOpenEdge()
      else if (here) targets.onOpenNode(here.id)
      else if (shape && targets.mayWrite) targets.onEditShape(shape)
      return onEdge || here !== undefined || shape !== undefined
    case 'o':
    case 'O': {
      const links = shape === undefined ? [] : canvas.linksOf(shape)
      if (links.length === 1) links[0]!.click()
      else if (links.length > 1) targets.onMenu(undefined)
      return true
    }
    case 's':
    case 'S':
      if (targets.mayWrite) targets.onAddNote()
      return true
    case 'c':
      if (here && targets.mayWrite) targets.onConnectFrom(here.id)
      return true
    case 'F2':
      if (here && targets.mayWrite) targets.onRename(here.id)
      if (shape && targets.mayWrite) targets.onEditShape(shape)
      return true
    case 'd':
      commands.disable()
      return true
    case 'ContextMenu':
      targets.onMenu(onEdge ? undefined : here?.id)
      return true
    case 'F10':
      if (!event.shiftKey) return false
      targets.onMenu(onEdge ? undefined : here?.id)
      return true
    case 'n':
    case 'N': {
      const spot = newNodeSpot(canvas.scene(), here)
      if (spot && targets.mayWrite) targets.onAdd(spot)
      return true
    }
    case '/':
      targets.onSearchKinds()
      return true
    case '+':
    case '=':
      camera.zoomTo(camera.view().scale * 1.25)
      return true
    case '-':
      camera.zoomTo(camera.view().scale / 1.25)
      return true
    case '0':
      camera.zoomTo(1)
      return true
    case '1':
      camera.fit()
      return true
    default:
      return event.code === 'Space'
  }
}

/** Where a new node goes: in the middle of the selected edge, or after the first port of the card without an edge. */
export function newNodeSpot({ cards, wires }: Scene, here: Card | undefined): NewNodeSpot | undefined {
  const wire = wires.find(each => each.isSelected)
  const end = wire && cards.find(card => card.id === wire.to)
  if (end) return { edge: wire.key, at: { x: end.x - nodeGap, y: end.y + end.shape.height / 2 } }
  const taken = new Set(wires.filter(({ from }) => from === here?.id).map(({ branch }) => branch))
  const ports = here?.shape.ports.filter(port => !port.isError) ?? []
  const port = ports.find(({ branch }) => !taken.has(branch)) ?? ports[0]
  if (!here || !port) return undefined
  const at = { x: here.x + cardSize.width + nodeGap, y: here.y + port.y }
  return { from: here.id, branch: port.branch, at }
}

/** Cards, notes and groups from left to right; notes and groups have their id as `shape`. */
const inOrder = (canvas: Canvas): { id: string; x: number; y: number; shape?: string }[] =>
  [...canvas.scene().cards, ...canvas.scene().shapes.map(({ id, x, y }) => ({ id, x, y, shape: id }))]
    .map(({ id, x, y, ...more }) => ({
      id,
      x,
      y,
      ...(typeof more.shape === 'string' && { shape: more.shape }),
    }))
    .sort((one, other) => one.x - other.x || one.y - other.y)

/** The focused note or group, or the only selected one. */
function focusedShape(canvas: Canvas): string | undefined {
  const focused = document.activeElement?.getAttribute('data-shape-id')
  const { shapes } = canvas.scene()
  const selected = shapes.filter(({ isSelected }) => isSelected)
  return shapes.find(({ id }) => id === focused)?.id ?? (selected.length === 1 ? selected[0]!.id : undefined)
}

function focusedCard(canvas: Canvas): Card | undefined {
  const id = document.activeElement?.getAttribute('data-node')
  const { cards } = canvas.scene()
  return cards.find(card => card.id === id) ?? onlySelected(cards)
}

function onlySelected(cards: readonly Card[]): Card | undefined {
  const selected = cards.filter(card => card.isSelected)
  return selected.length === 1 ? selected[0] : undefined
}

/** Moves the focus between cards. Before the first and after the last card it leaves the canvas, as Tab does elsewhere. */
function pressTab(event: KeyboardEvent, { canvas, select }: KeyTargets): boolean {
  const order = inOrder(canvas)
  const [node, shape] = ['data-node', 'data-shape-id'].map(name => document.activeElement?.getAttribute(name))
  const here = order.findIndex(each => (each.shape === undefined ? each.id === node : each.shape === shape))
  if (here === -1 && event.shiftKey) return false
  const next = order[here + (event.shiftKey ? -1 : 1)]
  if (!next) {
    // From the canvas itself, the browser's tab order leads out.
    canvas.focus(undefined)
    return false
  }
  if (next.shape === undefined) {
    select([next.id])
    canvas.focus(next.id)
  } else {
    select([], [next.shape])
    canvas.focusShape(next.shape)
  }
  return true
}

function pressArrow(event: KeyboardEvent, { canvas, commands, mayWrite, select }: KeyTargets): boolean {
  const step = steps[event.key as Direction]
  const { cards, shapes } = canvas.scene()
  const isMoving = mayWrite && !event.altKey && [...cards, ...shapes].some(each => each.isSelected)
  if (isMoving) {
    const far = event.shiftKey ? 5 : 1
    commands.nudge(step.x * gridStep * far, step.y * gridStep * far)
    return true
  }
  const here = focusedCard(canvas)
  const next = here ? neighbour(cards, here, step) : inOrder(canvas).find(({ shape }) => shape === undefined)
  if (!next) return true
  select([next.id])
  canvas.focus(next.id)
  return true
}

/** The nearest card in a direction; distance to the side counts more. */
function neighbour(cards: readonly Card[], here: Card, step: { x: number; y: number }): Card | undefined {
  const distance = (card: Card): number => {
    const [dx, dy] = [card.x - here.x, card.y - here.y]
    const ahead = dx * step.x + dy * step.y
    const aside = Math.abs(dx * step.y) + Math.abs(dy * step.x)
    const isAhead = ahead > (step.x === 0 ? cardSize.height : cardSize.width) / 4
    return isAhead ? ahead + aside * 2 : Number.POSITIVE_INFINITY
  }
  let nearest: Card | undefined
  for (const card of cards) {
    if (card.id === here.id || distance(card) === Number.POSITIVE_INFINITY) continue
    if (!nearest || distance(card) < distance(nearest)) nearest = card
  }
  return nearest
}

/**
 * The edge after the selected one among the edges of a card: outgoing edges first, then incoming ones, each
 * from top to bottom, in a cycle.
 */
function nextWire({ cards, wires }: Scene, card: Card, isBackwards: boolean): Wire | undefined {
  const places = new Map(cards.map(({ id, y }) => [id, y]))
  const sorted = (those: Wire[], end: 'from' | 'to'): Wire[] =>
    those.sort((one, other) => (places.get(one[end]) ?? 0) - (places.get(other[end]) ?? 0))
  const around = [
    ...sorted(
      wires.filter(wire => wire.from === card.id),
      'to',
    ),
    ...sorted(
      wires.filter(wire => wire.to === card.id),
      'from',
    ),
  ]
  const here = around.findIndex(wire => wire.isSelected)
  if (here === -1) return around.at(isBackwards ? -1 : 0)
  return around[(here + (isBackwards ? -1 : 1) + around.length) % around.length]
}
