import type { Camera, ScreenPoint } from './camera.ts'

/**
 * Two fingers, wherever they are put down: what lies below them stays below them. One finger may have begun something
 * else already, which `onBegin` ends.
 */
export function listenToPinch(
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
    // The second finger begins nothing of its own.
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
  // A card that the first finger lies on would otherwise be dragged along.
  const swallow = (event: Event): void => {
    if (isPinching) event.stopImmediatePropagation()
  }
  for (const type of ['touchstart', 'touchmove'])
    window.addEventListener(type, swallow, { signal, capture: true })
}
