import { pointerBelow, segmentsOf } from './pointer.ts'

const controls = 'textarea, input, select, button:not(.field-help)'
const patience = 1500

/**
 * Puts the focus into the field at a place of the selected node's form, or into the nearest one above it. The panel
 * may still have to be drawn: it is waited for, but not for long.
 */
export function focusField(nodeId: string, place: string | undefined): void {
  const until = performance.now() + patience
  const places = place === undefined ? [] : placesUpwards(place)
  const look = (): void => {
    const panel = document.querySelector(`[data-panel-of="${CSS.escape(nodeId)}"]`)
    const field = panel && firstAt(panel, places)
    if (field) reveal(field)
    else if (performance.now() < until) requestAnimationFrame(look)
  }
  if (places.length > 0) requestAnimationFrame(look)
}

function placesUpwards(place: string): string[] {
  const segments = segmentsOf(place)
  return segments.map((_, index) => segments.slice(0, segments.length - index).reduce(pointerBelow, ''))
}

function firstAt(panel: Element, places: readonly string[]): HTMLElement | undefined {
  for (const place of places) {
    const found = panel.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`)
    if (found) return found
  }
  return undefined
}

function reveal(field: HTMLElement): void {
  const folded = field.closest('details')
  if (folded) folded.open = true
  const control = field.querySelector<HTMLElement>(controls)
  control?.focus({ preventScroll: true })
  field.scrollIntoView({ block: 'center' })
}
