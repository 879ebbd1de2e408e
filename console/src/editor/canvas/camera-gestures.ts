import type { Camera } from './camera.ts'
import { listenToPinch } from './pinch.ts'

export interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

export interface BlankGestures {
  /** A rectangle on the screen was drawn with shift held; `isOver` at its end. */
  onBand(area: Area, isOver: boolean): void
  /** A click beside everything. */
  onBlankClick(): void
}

const isInCell = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.x6-cell') !== null

/**
 * Panning by dragging the ground, with the middle button or the space bar; the wheel; two fingers; and the rubber band
 * with shift.
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
      // X6 reckons with where it drew a card.
      if (!isCameraGesture(event)) return camera.settle()
      // The browser gives the ground the focus by itself, and shows no ring, as somebody points.
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
