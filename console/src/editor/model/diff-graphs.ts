import { edgeKey, type Graph, type GraphEdge, type GraphNode } from './graph.ts'
import { isRecord, member, memberNames, sameJson } from './same-json.ts'

export interface FieldChange {
  /** Member names from the outside in, such as `['data', 'title']`; an array is one value. */
  readonly path: readonly string[]
  /** `before` and `after` are undefined where the field does not exist. */
  readonly before: unknown
  readonly after: unknown
}

export interface NodeDifference {
  readonly id: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before: GraphNode | undefined
  readonly after: GraphNode | undefined
  /** Changed fields; empty for an added or removed node. */
  readonly fields: readonly FieldChange[]
}

export interface EdgeDifference {
  readonly key: string
  /** A changed edge has the same ends and branch, but other members. */
  readonly change: 'added' | 'removed' | 'changed'
  readonly edge: GraphEdge
}

export interface GraphDifference {
  readonly nodes: readonly NodeDifference[]
  readonly edges: readonly EdgeDifference[]
  /** Other members of the graph itself. */
  readonly fields: readonly FieldChange[]
}

/** The changes from one graph to another. The order of nodes and edges is ignored. */
export function diffGraphs(before: Graph, after: Graph): GraphDifference {
  const { nodes: _, edges: __, ...restBefore } = before
  const { nodes: ___, edges: ____, ...restAfter } = after
  return {
    nodes: diffNodes(before, after),
    edges: diffEdges(before, after),
    fields: diffFields(restBefore, restAfter, []),
  }
}

function diffNodes(before: Graph, after: Graph): NodeDifference[] {
  const old = new Map(before.nodes.map(node => [node.id, node]))
  const now = new Map(after.nodes.map(node => [node.id, node]))
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id): NodeDifference[] => {
    const sides = { before: old.get(id), after: now.get(id) }
    if (!sides.before) return [{ id, change: 'added', fields: [], ...sides }]
    if (!sides.after) return [{ id, change: 'removed', fields: [], ...sides }]
    const fields = diffFields(sides.before, sides.after, [])
    return fields.length > 0 ? [{ id, change: 'changed', fields, ...sides }] : []
  })
}

function diffEdges(before: Graph, after: Graph): EdgeDifference[] {
  const old = new Map(before.edges.map(edge => [edgeKey(edge), edge]))
  const now = new Map(after.edges.map(edge => [edgeKey(edge), edge]))
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key): EdgeDifference[] => {
    const [was, is] = [old.get(key), now.get(key)]
    if (was && is) return sameJson(was, is) ? [] : [{ key, change: 'changed', edge: is }]
    return is ? [{ key, change: 'added', edge: is }] : [{ key, change: 'removed', edge: was! }]
  })
}

function diffFields(before: object, after: object, path: readonly string[]): FieldChange[] {
  return memberNames(before, after).flatMap(name => {
    const [was, is] = [member(before, name), member(after, name)]
    if (sameJson(was, is)) return []
    const inner = [...path, name]
    return isRecord(was) && isRecord(is)
      ? diffFields(was, is, inner)
      : [{ path: inner, before: was, after: is }]
  })
}
