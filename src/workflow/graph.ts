import { parseInPieces } from '../kernel/parse-in-pieces.ts'
import type { Pausable } from '../kernel/slices.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import type { DeclaredValues, KindRegistry, NodeKind } from './node-kind.ts'

/** A graph that `refuseGraph` accepts; fields not named here are stored as the client sent them. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  readonly id: string
  readonly type: string
  readonly data: JsonRecord
}

export interface GraphEdge {
  readonly source: GraphEdgeEnd
  readonly target: GraphEdgeEnd
  readonly data?: JsonRecord | null
}

interface GraphEdgeEnd {
  readonly cell: string
  readonly port: string
}

/** A graph that was accepted once, from its stored text in UTF-8. */
export function* parseGraph(bytes: Uint8Array): Pausable<Graph> {
  const text = new TextDecoder().decode(bytes)
  yield
  return (yield* parseInPieces(text, { keepsDigits: true })) as Graph
}

export const inputKind = 'input'
export const endKind = 'end'

/** Node ids that are reserved for one kind. */
export const reservedNodeIds: ReadonlyMap<string, string> = new Map([
  ['input', inputKind],
  ['end', endKind],
])

export const sourcePort = (cell: string): string => `out.${cell}`
export const targetPort = (cell: string): string => `in.${cell}`

/** `chosen` is the case in which it is taken. */
export const edge = (from: string, to: string, chosen?: string): GraphEdge => ({
  source: { cell: from, port: sourcePort(from) },
  target: { cell: to, port: targetPort(to) },
  ...(chosen !== undefined && { data: { case: chosen } }),
})

/** `data.type` as it was sent; it may be missing or not a string. */
export const kindName = (node: GraphNode): unknown => ownValue(node.data, 'type')

export function findKind(data: JsonRecord, kinds: KindRegistry): NodeKind | undefined {
  const name = ownValue(data, 'type')
  return typeof name === 'string' ? kinds.get(name) : undefined
}

/** A run passes over a disabled node and continues after it; input and end cannot be disabled, as every run needs them. */
export const isDisabled = (node: GraphNode): boolean =>
  ownValue(node.data, 'disabled') === true && kindName(node) !== inputKind && kindName(node) !== endKind

/** The case an edge belongs to; an edge without one is live whenever its source ran. */
export function edgeCase(edge: GraphEdge): string | undefined {
  const data = ownValue(edge as unknown as JsonRecord, 'data')
  const name = isJsonRecord(data) ? ownValue(data, 'case') : undefined
  return typeof name === 'string' ? name : undefined
}

/** The values that nodes declare for the whole graph; the first node that declares a name wins. */
export function declaredIn({ nodes }: Pick<Graph, 'nodes'>, kinds: KindRegistry): DeclaredValues {
  const all = nodes.flatMap(({ data }) => findKind(data, kinds)?.declares?.(data) ?? [])
  const merged = (name: keyof DeclaredValues) =>
    Object.fromEntries(all.toReversed().flatMap(each => Object.entries(each[name])))
  return { environment: merged('environment'), memory: merged('memory') }
}
