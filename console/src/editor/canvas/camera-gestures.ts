import type { Camera, ScreenPoint } from './camera.ts'

export interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

interface BlankGestures {
  /** A selection rectangle is drawn with shift held; `isOver` is true at its end. */
  onBand(area: Area, isOver: boolean): void
  /** A click on empty canvas. */
  onBlankClick(): void
}

const isInCell = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.x6-cell, .wire-handles') !== null

/**
 * Panning by dragging the canvas, with the middle button or the space bar; wheel zoom; pinch zoom; and drag
 * selection with shift.
 */
export function listenToCamera(container: HTMLElement, camera: Camera, gestures: BlankGestures) {
  let isSpaceHeld = false
  let stopDrag: (() => void) | undefined
  const leaving = new AbortController()
  const { signal } = leaving

  const isCameraGesture = (event: { target: EventTarget | null; button?: number }): boolean =>
    isSpaceHeld || event.button === 1 || !isInCell(event.target)

  const follow = (
    start: PointerEvent,
    move: (event: PointerEvent) => void,
    end: (event: PointerEvent) => void,
  ) => {
    const drag = new AbortController()
    const leave = (): void => {
      drag.abort()
      stopDrag = undefined
      container.classList.remove('is-panning')
      camera.hold(false)
    }
    const stop = (event: PointerEvent): void => {
      leave()
      end(event)
    }
    camera.hold(true)
    container.setPointerCapture(start.pointerId)
    container.addEventListener('pointermove', move, { signal: drag.signal })
    container.addEventListener('pointerup', stop, { signal: drag.signal })
    container.addEventListener('pointercancel', stop, { signal: drag.signal })
    stopDrag = leave
  }

  const pan = (start: PointerEvent): void => {
    let { clientX, clientY } = start
    let hasMoved = false
    container.classList.add('is-panning')
    follow(
      start,
      event => {
        if (Math.abs(event.clientX - start.clientX) + Math.abs(event.clientY - start.clientY) > 3)
          hasMoved = true
        camera.panBy(event.clientX - clientX, event.clientY - clientY)
        clientX = event.clientX
        clientY = event.clientY
      },
      () => {
        if (!hasMoved && start.button === 0 && !isSpaceHeld) gestures.onBlankClick()
      },
    )
  }

  const band = (start: PointerEvent): void => {
    const areaTo = (event: PointerEvent): Area => ({
      left: Math.min(start.clientX, event.clientX),
      top: Math.min(start.clientY, event.clientY),
      right: Math.max(start.clientX, event.clientX),
      bottom: Math.max(start.clientY, event.clientY),
    })
    follow(
      start,
      event => gestures.onBand(areaTo(event), false),
      event => gestures.onBand(areaTo(event), true),
    )
  }

  container.addEventListener(
    'pointerdown',
    event => {
      if (event.button > 1) return
      // X6 computes with its own drawing, so what was only moved by CSS is drawn first.
      if (!isCameraGesture(event)) return camera.settle()
      // The browser focuses the canvas itself, without a focus ring, because a pointer is used.
      if (event.button === 1) event.preventDefault()
      if (event.shiftKey && !isSpaceHeld && event.button === 0) band(event)
      else pan(event)
    },
    { signal },
  )
  listenToPinch(container, camera, { signal, onBegin: () => stopDrag?.() })
  container.addEventListener('wheel', event => turnWheel(event, camera), { signal, passive: false })
  const holdSpace = (isHeld: boolean): void => {
    isSpaceHeld = isHeld
    container.classList.toggle('is-pannable', isHeld)
  }
  container.addEventListener('keydown', event => event.code === 'Space' && holdSpace(true), { signal })
  window.addEventListener('keyup', event => event.code === 'Space' && holdSpace(false), { signal })
  window.addEventListener('blur', () => holdSpace(false), { signal })
  return {
    isCameraGesture,
    dispose: () => {
      stopDrag?.()
      leaving.abort()
    },
  }
}

function turnWheel(event: WheelEvent, camera: Camera): void {
  event.preventDefault()
  // Mice report lines or pages where trackpads report pixels.
  const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1
  if (event.ctrlKey || event.metaKey) {
    const step = Math.max(-60, Math.min(60, event.deltaY * unit))
    camera.zoomTo(camera.view().scale * Math.exp(-step * 0.006), event, true)
  } else if (event.shiftKey && event.deltaX === 0) camera.panBy(-event.deltaY * unit, 0)
  else camera.panBy(-event.deltaX * unit, -event.deltaY * unit)
}

/**
 * Pinch zoom with two fingers: the points below the fingers stay below them. `onBegin` ends any gesture that
 * the first finger has started.
 */
function listenToPinch(
  container: HTMLElement,
  camera: Camera,
  { signal, onBegin }: { signal: AbortSignal; onBegin(): void },
): void {
  const fingers = new Map<number, ScreenPoint>()
  let isPinching = false

  const spread = () => {
    const [one, other] = [...fingers.values()] as [ScreenPoint, ScreenPoint]
    return {
      middle: { clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 },
      distance: Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)),
    }
  }
  const put = (event: PointerEvent): void => {
    if (event.pointerType !== 'touch') return
    fingers.set(event.pointerId, event)
    if (isPinching || fingers.size !== 2) return
    isPinching = true
    onBegin()
    camera.hold(true)
    // The second finger starts no gesture of its own.
    event.stopImmediatePropagation()
  }
  const move = (event: PointerEvent): void => {
    if (!fingers.has(event.pointerId)) return
    if (!isPinching || fingers.size !== 2) {
      fingers.set(event.pointerId, event)
      return
    }
    const before = spread()
    fingers.set(event.pointerId, event)
    const after = spread()
    camera.panBy(after.middle.clientX - before.middle.clientX, after.middle.clientY - before.middle.clientY)
    camera.zoomTo((camera.view().scale * after.distance) / before.distance, after.middle, true)
  }
  const lift = (event: PointerEvent): void => {
    if (!fingers.delete(event.pointerId) || fingers.size > 0 || !isPinching) return
    isPinching = false
    camera.hold(false)
  }
  container.addEventListener('pointerdown', put, { signal, capture: true })
  window.addEventListener('pointermove', move, { signal, capture: true })
  for (const type of ['pointerup', 'pointercancel'] as const)
    window.addEventListener(type, lift, { signal, capture: true })
  // Otherwise a card below the first finger would be dragged along.
  const swallow = (event: Event): void => {
    if (isPinching) event.stopImmediatePropagation()
  }
  for (const type of ['touchstart', 'touchmove'])
    window.addEventListener(type, swallow, { signal, capture: true })
}
