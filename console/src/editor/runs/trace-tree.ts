import { callOfPath, type NodeView } from './run-view.ts'

/** A node with its nested nodes. */
export interface TraceEntry {
  readonly node: NodeView
  readonly inside: readonly TraceEntry[]
}

const parentPath = (path: string): string => path.split('/').slice(0, -2).join('/')

/** The items of an iteration in order, although they run concurrently; anything else keeps its place. */
const byItem = (one: TraceEntry, other: TraceEntry): number =>
  Number(callOfPath(one.node.path)) - Number(callOfPath(other.node.path)) || 0

/** The nodes of a run in the order they started, nested ones below their parents. */
export function traceTree(nodes: readonly NodeView[]): TraceEntry[] {
  const entries = new Map<string, TraceEntry & { inside: TraceEntry[] }>()
  for (const node of nodes) entries.set(node.path, { node, inside: [] })
  const top: TraceEntry[] = []
  for (const entry of entries.values()) {
    const parent = entry.node.depth === 0 ? undefined : entries.get(parentPath(entry.node.path))
    if (parent) parent.inside.push(entry)
    else top.push(entry)
  }
  for (const { inside } of entries.values()) inside.sort(byItem)
  return top
}

export interface Bar {
  /** `left` and `width` are percentages of the total. */
  readonly left: number
  readonly width: number
}

/** If a run's wall time exceeds its run time by this factor, bars no longer show start times. */
const pauseMilliseconds = 1000

/**
 * The time bar of each node, by path. If the run waited for the user, waiting would dominate: then bars only
 * compare durations.
 */
export function barsOf(nodes: readonly NodeView[], now: number, workMs: number): Map<string, Bar> {
  const spans = nodes.flatMap(({ path, startedAt, elapsedMs, status }) => {
    if (startedAt === undefined || status === 'skipped' || status === 'waiting') return []
    return [{ path, startedAt, length: Math.max(0, elapsedMs ?? now - startedAt) }]
  })
  const start = Math.min(...spans.map(({ startedAt }) => startedAt))
  const whole = Math.max(1, ...spans.map(({ startedAt, length }) => startedAt + length - start))
  const longest = Math.max(1, ...spans.map(({ length }) => length))
  const isPaused = whole > workMs * 1.5 + pauseMilliseconds
  return new Map(
    spans.map(({ path, startedAt, length }) => [
      path,
      isPaused
        ? { left: 0, width: (100 * length) / longest }
        : { left: (100 * (startedAt - start)) / whole, width: (100 * length) / whole },
    ]),
  )
}
