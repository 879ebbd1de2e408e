import type { Point } from '../model/graph.ts'

/** The line of an edge. */
export function curve(source: Point, target: Point): string {
  const bend = Math.max(36, Math.min(Math.abs(target.x - source.x) / 2, 160))
  return `M ${source.x} ${source.y} C ${source.x + bend} ${source.y} ${target.x - bend} ${target.y} ${target.x} ${target.y}`
}
