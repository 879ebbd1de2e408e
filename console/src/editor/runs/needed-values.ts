import type { Graph, GraphNode } from '../model/graph.ts'
import type { RunView } from './run-view.ts'

/** A value that a node refers to: an output of another node, or an input of the run. */
export interface NeededValue {
  readonly from: 'node' | 'inputs'
  /** The node that outputs it; empty for inputs of the run. */
  readonly nodeId: string
  readonly name: string
}

export const keyOf = ({ from, nodeId, name }: NeededValue): string => JSON.stringify([from, nodeId, name])

const reference = /\{\{#((?:(?!\{\{#|#\}\}).)+)#\}\}/gsu

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const each of value) yield* textsOf(each)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* textsOf(each)
}

/** The longest of `names` that is a prefix of `path`: names may contain dots. */
const longestStart = (path: string, names: Iterable<string>): string | undefined => {
  let found: string | undefined
  for (const name of names)
    if ((path === name || path.startsWith(`${name}.`)) && name.length > (found?.length ?? -1)) found = name
  return found
}

const systemInputs = new Set(['query', 'action'])

function neededBy(
  path: string,
  graph: Graph,
  outputsOf: (id: string) => readonly string[],
): NeededValue | undefined {
  const [head, name, ...more] = path.split('.')
  if (head === 'sys') {
    const input = name === 'inputs' ? more[0] : systemInputs.has(name ?? '') ? name : undefined
    return input ? { from: 'inputs', nodeId: '', name: input } : undefined
  }
  const nodeId = longestStart(
    path,
    graph.nodes.map(({ id }) => id),
  )
  const rest = nodeId === undefined ? '' : path.slice(nodeId.length + 1)
  if (nodeId === undefined || head === 'memory' || head === 'secret' || rest === '') return undefined
  return { from: 'node', nodeId, name: longestStart(rest, outputsOf(nodeId)) ?? rest.split('.')[0]! }
}

/** The values a node needs to run alone, in the order of its settings. */
export function neededValues(
  node: GraphNode,
  graph: Graph,
  outputsOf: (id: string) => readonly string[],
): NeededValue[] {
  const found = new Map<string, NeededValue>()
  for (const text of textsOf(node.data))
    for (const [, path] of text.matchAll(reference)) {
      const needed = neededBy(path!.trim(), graph, outputsOf)
      if (needed) found.set(keyOf(needed), needed)
    }
  return [...found.values()]
}

/** The value in an earlier run; undefined if that run does not have it. */
export function valueInRun({ from, nodeId, name }: NeededValue, view: RunView): unknown {
  const source =
    from === 'inputs'
      ? view.inputs
      : view.nodes.find(node => node.depth === 0 && node.nodeId === nodeId)?.outputs
  if (typeof source !== 'object' || source === null) return undefined
  return Object.hasOwn(source, name) ? (source as Record<string, unknown>)[name] : undefined
}

/** The request body of a single-node run. */
export function trialOf(values: Iterable<readonly [NeededValue, unknown]>): {
  inputs: Record<string, unknown>
  outputs: Record<string, Record<string, unknown>>
} {
  // Without a prototype, so that a name such as __proto__ is only a name.
  const inputs: Record<string, unknown> = Object.create(null)
  const outputs: Record<string, Record<string, unknown>> = Object.create(null)
  for (const [{ from, nodeId, name }, value] of values) {
    if (from === 'node') outputs[nodeId] ??= Object.create(null) as Record<string, unknown>
    const target = from === 'inputs' ? inputs : outputs[nodeId]!
    target[name] = value
  }
  return { inputs, outputs }
}
