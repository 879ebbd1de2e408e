import type { Card, Scene, Wire } from './scene.ts'

/**
 * The edge that comes after the selected one among those of a card: first those that lead on, then those that lead
 * here, each from top to bottom. Behind the last one comes the first.
 */
export function nextWire({ cards, wires }: Scene, card: Card, isBackwards: boolean): Wire | undefined {
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
