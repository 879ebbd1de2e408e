import { limits } from '../contract/limits.ts'
import type { Pausable } from '../kernel/slices.ts'
import { findKind } from './graph.ts'
import { outputNames } from './graph-links.ts'
import { isJsonRecord, ownValue } from './json-record.ts'
import { fieldsOf, type KindRegistry } from './node-kind.ts'
import { checkFields } from './shape.ts'

/** What an editor shows of a node besides its settings. */
export interface NodeOutline {
  /** Names that other nodes may refer to; null when any name is possible. */
  outputs: readonly string[] | null
  /** Cases of its outgoing edges, besides that of its error branch; null when it does not branch. */
  cases: readonly string[] | null
  /** Names of the environment values that it declares. */
  environment?: readonly string[]
  /** Names of the memory values that it declares. */
  memory?: readonly string[]
}

/** Accepts any JSON, because the rest must be visible while one node is broken. Of two equal ids the first counts. */
export function* outlineGraph(graph: unknown, kinds: KindRegistry): Pausable<Record<string, NodeOutline>> {
  const nodes = isJsonRecord(graph) ? ownValue(graph, 'nodes') : undefined
  const outlines = new Map<string, NodeOutline>()
  for (const node of Array.isArray(nodes) ? nodes.slice(0, limits.graphNodes) : []) {
    const id = isJsonRecord(node) ? ownValue(node, 'id') : undefined
    if (typeof id !== 'string' || outlines.has(id)) continue
    const outline = outlineNode(ownValue(node, 'data'), kinds)
    if (outline) outlines.set(id, outline)
    yield
  }
  // Object.fromEntries defines keys, so that an id such as __proto__ is a key like any other.
  return Object.fromEntries(outlines)
}

function outlineNode(data: unknown, kinds: KindRegistry): NodeOutline | undefined {
  const kind = isJsonRecord(data) ? findKind(data, kinds) : undefined
  if (!kind || !isJsonRecord(data)) return undefined
  // A kind reads only data whose known fields have the declared types.
  let isReadable = true
  checkFields(data, fieldsOf(kind), '', () => {
    isReadable = false
  })
  if (!isReadable) return undefined
  const { environment = {}, memory = {} } = kind.declares?.(data) ?? {}
  const names = { environment: Object.keys(environment), memory: Object.keys(memory) }
  return {
    outputs: outputNames(kind, data) ?? null,
    cases: kind.cases?.(data) ?? null,
    ...(names.environment.length > 0 && { environment: names.environment }),
    ...(names.memory.length > 0 && { memory: names.memory }),
  }
}
