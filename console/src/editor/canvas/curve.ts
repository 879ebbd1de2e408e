import type { Point } from '../model/graph.ts'

/** The two points that bend the line of an edge: it leaves to the right and arrives from the left. */
export function bendsOf(source: Point, target: Point): [Point, Point] {
  const bend = Math.max(36, Math.min(Math.abs(target.x - source.x) / 2, 160))
  return [
    { x: source.x + bend, y: source.y },
    { x: target.x - bend, y: target.y },
  ]
}

/** The line of an edge. */
export function curve(source: Point, target: Point): string {
  const [first, second] = bendsOf(source, target)
  return `M ${source.x} ${source.y} C ${first.x} ${first.y} ${second.x} ${second.y} ${target.x} ${target.y}`
}
