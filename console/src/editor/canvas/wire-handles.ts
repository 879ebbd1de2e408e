import type { EdgeView, Graph } from '@antv/x6'
import type { Point } from '../model/graph.ts'
import type { Camera } from './camera.ts'
import { drawn } from './card-view.ts'
import { cardSelector } from './create-graph.ts'
import { curve } from './curve.ts'
import { keyOfWire, wireId } from './render-scene.ts'

export type WireEnd = 'source' | 'target'

export interface WireHandleListener {
  mayEdit(): boolean
  /** `y`: the height on the card, which decides between its ports. */
  mayReconnect(key: string, end: WireEnd, to: string, y: number): boolean
  /** Reports the reason if this is not allowed. */
  onReconnect(key: string, end: WireEnd, to: string, y: number): void
  onInsert(key: string, at: Point): void
}

interface WireHandles {
  /** Shows the handles of an edge: the hovered one wins over the selected one. */
  select(key: string | undefined): void
  dispose(): void
}

/** Distance from the end of an edge to its handle, which must be beside the port that starts new edges. */
const handleDistance = 24

/**
 * What can be done to an edge with a pointer: drag one of its ends elsewhere, or insert a node in its middle. One set
 * of handles for all edges, because hundreds of them would slow down every frame.
 */
export function createWireHandles(graph: Graph, camera: Camera, listener: WireHandleListener): WireHandles {
  const { container } = graph
  const group = drawn(graph.view.viewport, 'g', 'wire-handles', { hidden: '' })
  const preview = drawn(group, 'path', 'wire-preview', { hidden: '' })
  const ends = {
    source: drawn(group, 'circle', 'wire-end', { r: 6, 'data-end': 'source' }),
    target: drawn(group, 'circle', 'wire-end', { r: 6, 'data-end': 'target' }),
  }
  const plus = drawn(group, 'g', 'wire-plus')
  drawn(plus, 'circle', 'wire-plus-back', { r: 9 })
  drawn(plus, 'path', 'wire-plus-sign', { d: 'M -4 0 h 8 M 0 -4 v 8' })
  let hovered: string | undefined
  let selected: string | undefined
  let dragged: AbortController | undefined
  const leaving = new AbortController()
  const { signal } = leaving

  const current = (): string | undefined => hovered ?? selected
  const viewOf = (key: string | undefined): EdgeView | undefined =>
    key === undefined ? undefined : ((graph.findViewByCell(wireId(key)) as EdgeView | null) ?? undefined)

  const place = (): void => {
    if (dragged) return
    const view = viewOf(current())
    const length = view?.getConnectionLength() ?? 0
    const isShown = view !== undefined && length > 0 && listener.mayEdit()
    group.toggleAttribute('hidden', !isShown)
    if (!isShown) return
    const distance = Math.min(handleDistance, length / 4)
    const points = {
      source: view.getPointAtLength(distance),
      target: view.getPointAtLength(length - distance),
    }
    for (const end of ['source', 'target'] as const) {
      ends[end].setAttribute('cx', String(points[end]?.x ?? 0))
      ends[end].setAttribute('cy', String(points[end]?.y ?? 0))
    }
    const middle = view.getPointAtRatio(0.5)
    plus.setAttribute('transform', `translate(${middle?.x ?? 0},${middle?.y ?? 0})`)
  }

  const cardAt = (event: PointerEvent): Element | undefined =>
    document.elementFromPoint(event.clientX, event.clientY)?.closest(cardSelector) ?? undefined

  const drag = (start: PointerEvent, key: string, end: WireEnd): void => {
    const view = viewOf(key)
    const fixed = end === 'source' ? view?.getPointAtRatio(1) : view?.getPointAtRatio(0)
    if (!view || !fixed) return
    camera.settle()
    dragged = new AbortController()
    const options = { signal: dragged.signal }
    let over: Element | undefined
    const mark = (card: Element | undefined, isAllowed: boolean): void => {
      over?.removeAttribute('data-drop')
      over = card
      over?.setAttribute('data-drop', isAllowed ? 'yes' : 'no')
    }
    const stop = (): void => {
      dragged?.abort()
      dragged = undefined
      mark(undefined, false)
      group.classList.remove('is-dragged')
      view.container.classList.remove('is-reconnected')
      preview.setAttribute('hidden', '')
      place()
    }
    /** The card below the pointer, and the height on it. */
    const target = (event: PointerEvent): { card: Element; id: string; y: number } | undefined => {
      const card = cardAt(event)
      const id = card?.getAttribute('data-cell-id')
      const node = id == null ? undefined : graph.getCellById(id)
      if (!card || id == null || !node?.isNode()) return undefined
      return { card, id, y: camera.toLocal(event).y - node.getPosition().y }
    }
    group.classList.add('is-dragged')
    view.container.classList.add('is-reconnected')
    preview.removeAttribute('hidden')
    window.addEventListener(
      'pointermove',
      event => {
        const point = camera.toLocal(event)
        preview.setAttribute('d', end === 'source' ? curve(point, fixed) : curve(fixed, point))
        const found = target(event)
        mark(found?.card, found !== undefined && listener.mayReconnect(key, end, found.id, found.y))
      },
      options,
    )
    window.addEventListener(
      'pointerup',
      event => {
        const found = target(event)
        stop()
        if (found) listener.onReconnect(key, end, found.id, found.y)
      },
      options,
    )
    window.addEventListener('pointercancel', stop, options)
    window.addEventListener('keydown', event => event.key === 'Escape' && stop(), options)
    preview.setAttribute(
      'd',
      curve(
        end === 'source' ? camera.toLocal(start) : fixed,
        end === 'source' ? fixed : camera.toLocal(start),
      ),
    )
  }

  container.addEventListener(
    'pointerover',
    event => {
      if (dragged || !(event.target instanceof Element) || group.contains(event.target)) return
      const edge = event.target.closest('.x6-edge')?.getAttribute('data-cell-id')
      const key = edge == null ? undefined : keyOfWire(edge)
      if (key === hovered) return
      hovered = key
      place()
    },
    { signal },
  )
  container.addEventListener(
    'pointerleave',
    () => {
      hovered = undefined
      place()
    },
    { signal },
  )
  // A card that is moved takes its edges along.
  graph.on('node:moving', () => group.setAttribute('hidden', ''))
  group.addEventListener('pointerdown', event => {
    event.stopPropagation()
    const key = current()
    const end = (event.target as Element).getAttribute('data-end')
    if (event.button !== 0 || key === undefined) return
    if (end === 'source' || end === 'target') drag(event, key, end)
  })
  // X6 listens to these on the canvas.
  for (const type of ['mousedown', 'touchstart'])
    group.addEventListener(type, event => event.stopPropagation())
  plus.addEventListener('click', event => {
    event.stopPropagation()
    const key = current()
    const middle = viewOf(key)?.getPointAtRatio(0.5)
    if (key !== undefined && middle) listener.onInsert(key, { x: middle.x, y: middle.y })
  })
  return {
    select: key => {
      selected = key
      // The hovered edge may have been removed or reconnected.
      if (hovered !== undefined && !viewOf(hovered)) hovered = undefined
      place()
    },
    dispose: () => {
      dragged?.abort()
      leaving.abort()
    },
  }
}
