import { type Finding, pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { countValues } from '../kernel/count-values.ts'
import type { Pausable } from '../kernel/slices.ts'
import { findKind, reservedNodeIds, sourcePort, targetPort } from './graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import { fieldsOf, type KindRegistry, type NodeKind } from './node-kind.ts'
import { findReferences } from './references.ts'
import { checkFields, findTemplates, type Report } from './shape.ts'
import { showValue } from './show-value.ts'

/**
 * The structure of the largest graph (2,000 nodes, 10,000 edges) causes far fewer findings. Only masses of wrong values
 * inside single fields reach this limit, and a body of a few megabytes must not grow into gigabytes of findings.
 */
const maxFindings = 100_000

/**
 * All reasons why a graph cannot be stored; an empty list means that it is a `Graph`. `pointer` is the place of the
 * graph in the request. Accepts any JSON value and never throws.
 */
export function* refuseGraph(graph: unknown, kinds: KindRegistry, pointer: string): Pausable<Finding[]> {
  const check = new GraphCheck(kinds)
  yield* check.graph(graph, pointer)
  return check.findings
}

class GraphCheck {
  readonly findings: Finding[] = []
  readonly #kinds: KindRegistry
  /** The first node with each id; undefined while the nodes are unreadable. */
  #nodes: Map<string, string> | undefined
  /** The first of equal edges. */
  readonly #edges = new Map<string, string>()

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds
  }

  *graph(graph: unknown, pointer: string): Pausable<void> {
    if (!isJsonRecord(graph)) {
      const message = `The workflow must be an object with "nodes" and "edges", but is ${showValue(graph)}.`
      return void this.#report(pointer, message)
    }
    const nodes = this.#list(graph, 'nodes', limits.graphNodes, pointer)
    const edges = this.#list(graph, 'edges', limits.graphEdges, pointer)
    // Without readable nodes every edge would seem to lead nowhere: one finding about the nodes is enough.
    if (nodes) this.#nodes = new Map()
    for (const [index, node] of nodes?.entries() ?? []) {
      this.#node(node, `${pointer}/nodes/${index}`)
      yield
    }
    for (const [index, edge] of edges?.entries() ?? []) {
      this.#edge(edge, `${pointer}/edges/${index}`)
      yield
    }
  }

  readonly #report: Report = (path, message) => {
    if (this.findings.length < maxFindings) this.findings.push({ path, message })
  }

  #list(graph: JsonRecord, name: string, max: number, pointer: string): readonly unknown[] | undefined {
    const path = `${pointer}/${name}`
    const list = ownValue(graph, name)
    if (!Array.isArray(list)) {
      const found = list === undefined ? 'is missing' : `is ${showValue(list)}`
      this.#report(path, `Must be an array of ${name} (it may be empty), but ${found}.`)
    } else if (list.length > max)
      this.#report(path, `A workflow may have at most ${max} ${name}, but this one has ${list.length}.`)
    else return list
    return undefined
  }

  #node(node: unknown, place: string): void {
    if (!isJsonRecord(node)) {
      const message = `A node must be an object with "id", "type" and "data", but is ${showValue(node)}.`
      return void this.#report(place, message)
    }
    const id = this.#id(node, place)
    const type = ownValue(node, 'type')
    if (typeof type !== 'string')
      this.#report(
        `${place}/type`,
        `A node needs a string "type" such as "base", but has ${showValue(type)}.`,
      )
    const data = ownValue(node, 'data')
    if (isJsonRecord(data)) this.#data(id, data, `${place}/data`)
    else this.#report(`${place}/data`, `A node needs an object "data", but has ${showValue(data)}.`)
  }

  #id(node: JsonRecord, place: string): string | undefined {
    const id = ownValue(node, 'id')
    if (typeof id !== 'string' || id === '') {
      this.#report(`${place}/id`, `A node needs a string "id" that is not empty, but has ${showValue(id)}.`)
      return undefined
    }
    const first = this.#nodes!.get(id)
    if (first === undefined) this.#nodes!.set(id, place)
    else
      this.#report(
        `${place}/id`,
        `The node id ${showValue(id)} is already used by ${first}; give each node its own.`,
      )
    return id
  }

  #data(id: string | undefined, data: JsonRecord, path: string): void {
    const reservedFor = id === undefined ? undefined : reservedNodeIds.get(id)
    const kindName = ownValue(data, 'type')
    if (reservedFor !== undefined && kindName !== reservedFor)
      this.#report(
        `${path}/type`,
        `The node id "${id}" is kept for the kind "${reservedFor}", but this node's data.type is ` +
          `${showValue(kindName)}; change the one or the other.`,
      )
    else if (typeof (kindName ?? '') !== 'string')
      this.#report(`${path}/type`, `Must be a string such as "llm", but is ${showValue(kindName)}.`)
    const kind = findKind(data, this.#kinds)
    const oversize = oversizeOf(data, kind)
    if (oversize !== undefined) return void this.#report(path, oversize)
    if (kind === undefined) return
    const repeated = kind.repeatsNodeId
    const repeatedId = repeated === undefined ? undefined : ownValue(data, repeated)
    if (id !== undefined && (repeatedId ?? id) !== id)
      this.#report(
        `${path}/${pointerSegment(repeated!)}`,
        `Must equal the id of the node, ${showValue(id)}, but is ${showValue(repeatedId)}.`,
      )
    checkFields(data, fieldsOf(kind), path, this.#report)
  }

  #edge(edge: unknown, place: string): void {
    if (!isJsonRecord(edge)) {
      const message = `An edge must be an object with "source" and "target", but is ${showValue(edge)}.`
      return void this.#report(place, message)
    }
    const source = this.#end(edge, 'source', sourcePort, place)
    const target = this.#end(edge, 'target', targetPort, place)
    const edgeCase = this.#case(edge, place)
    if (source === undefined || target === undefined || edgeCase === undefined) return
    // As JSON the parts stay distinct, whatever characters the ids contain.
    const identity = JSON.stringify([source, target, edgeCase])
    const first = this.#edges.get(identity)
    if (first === undefined) return void this.#edges.set(identity, place)
    const between = `from ${showValue(source)} to ${showValue(target)}`
    this.#report(place, `The edge ${between} is the same as ${first}; remove one of them.`)
  }

  /** The cell of one end, where it is a string. */
  #end(
    edge: JsonRecord,
    side: 'source' | 'target',
    portOf: (cell: string) => string,
    place: string,
  ): string | undefined {
    const path = `${place}/${side}`
    const end = ownValue(edge, side)
    if (!isJsonRecord(end)) {
      this.#report(path, `Must be an object with "cell" and "port", but is ${showValue(end)}.`)
      return undefined
    }
    const cell = ownValue(end, 'cell')
    const port = ownValue(end, 'port')
    if (typeof cell !== 'string') {
      this.#report(`${path}/cell`, `Must be a string, the id of a node, but is ${showValue(cell)}.`)
      if (typeof port !== 'string')
        this.#report(`${path}/port`, `Must be a string, but is ${showValue(port)}.`)
      return undefined
    }
    if (this.#nodes && !this.#nodes.has(cell))
      this.#report(`${path}/cell`, `No node has the id ${showValue(cell)}; add the node or remove the edge.`)
    if (port !== portOf(cell))
      this.#report(`${path}/port`, `Must be ${showValue(portOf(cell))}, but is ${showValue(port)}.`)
    return cell
  }

  /** The case of an edge, or null if it has none; undefined when it cannot be read. */
  #case(edge: JsonRecord, place: string): string | null | undefined {
    const data = ownValue(edge, 'data') ?? null
    if (data === null) return null
    if (!isJsonRecord(data)) {
      this.#report(`${place}/data`, `Must be an object where it is present, but is ${showValue(data)}.`)
      return undefined
    }
    const name = ownValue(data, 'case') ?? null
    if (name === null || typeof name === 'string') return name
    this.#report(`${place}/data/case`, `Must be a string, the id of a case, but is ${showValue(name)}.`)
    return undefined
  }
}

/** The shortest reference, `{{##}}`. */
const referenceLength = 6

/** Why a node is too large; undefined if it is not. These limits bound the time that checking and running a node takes. */
export function oversizeOf(data: JsonRecord, kind: NodeKind | undefined): string | undefined {
  const { nodeValues, nodeReferences } = limits
  // Nearly all nodes are too small to hold too many values or references, so this one check is enough.
  if (countValues(data, nodeReferences, referenceLength) <= nodeReferences) return undefined
  if (countValues(data, nodeValues) > nodeValues)
    return `The settings of a node may hold at most ${nodeValues} values; split the node, or move data into a file.`
  if (!kind) return undefined
  let references = 0
  for (const { text } of findTemplates(data, fieldsOf(kind))) {
    references += findReferences(text, nodeReferences).length
    if (references > nodeReferences)
      return `The settings of a node may hold at most ${nodeReferences} references; split the node.`
  }
  return undefined
}
