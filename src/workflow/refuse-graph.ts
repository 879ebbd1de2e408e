import { type Finding, pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { findKind, reservedNodeIds, sourcePort, targetPort } from './graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import { commonFields, type KindRegistry } from './node-kind.ts'
import { checkFields, type Report } from './shape.ts'
import { showValue } from './show-value.ts'

/**
 * Far more than 2,000 nodes and 10,000 edges cause by their structure. Only a graph with masses of wrong values inside
 * single fields reaches it, and a body of a few megabytes must not grow into gigabytes of findings.
 */
const maxFindings = 100_000

/**
 * All reasons why a graph cannot be stored; an empty list means that it is a `Graph`. `pointer` is the place of the
 * graph in the request. Accepts any JSON value and never throws.
 */
export function refuseGraph(graph: unknown, kinds: KindRegistry, pointer: string): Finding[] {
  const findings: Finding[] = []
  const report: Report = (path, message) => {
    if (findings.length < maxFindings) findings.push({ path, message })
  }
  if (!isJsonRecord(graph)) {
    report(pointer, `The workflow must be an object with "nodes" and "edges", but is ${showValue(graph)}.`)
    return findings
  }
  const nodes = readList(graph, 'nodes', limits.graphNodes, pointer, report)
  const edges = readList(graph, 'edges', limits.graphEdges, pointer, report)
  // Without readable nodes every edge would seem to lead nowhere: one finding about the nodes is enough.
  const nodeIds = nodes && refuseNodes(nodes, kinds, `${pointer}/nodes`, report)
  if (edges) refuseEdges(edges, nodeIds, `${pointer}/edges`, report)
  return findings
}

function readList(
  graph: JsonRecord,
  name: 'nodes' | 'edges',
  most: number,
  pointer: string,
  report: Report,
): readonly unknown[] | undefined {
  const list = ownValue(graph, name)
  if (!Array.isArray(list)) {
    const found = list === undefined ? 'is missing' : `is ${showValue(list)}`
    report(`${pointer}/${name}`, `Must be an array of ${name} (it may be empty), but ${found}.`)
    return undefined
  }
  if (list.length > most) {
    report(
      `${pointer}/${name}`,
      `A workflow may have at most ${most} ${name}, but this one has ${list.length}.`,
    )
    return undefined
  }
  return list
}

/** Reports the errors of each node and returns the ids that edges may refer to. */
export function refuseNodes(
  nodes: readonly unknown[],
  kinds: KindRegistry,
  path: string,
  report: Report,
): ReadonlySet<string> {
  const firstPlaces = new Map<string, string>()
  for (const [index, node] of nodes.entries()) {
    const place = `${path}/${index}`
    if (!isJsonRecord(node)) {
      report(place, `A node must be an object with "id", "type" and "data", but is ${showValue(node)}.`)
      continue
    }
    const id = readId(node, place, firstPlaces, report)
    const type = ownValue(node, 'type')
    if (typeof type !== 'string') {
      report(`${place}/type`, `A node needs a string "type" such as "base", but has ${showValue(type)}.`)
    }
    const data = ownValue(node, 'data')
    if (isJsonRecord(data)) refuseData(id, data, kinds, `${place}/data`, report)
    else report(`${place}/data`, `A node needs an object "data", but has ${showValue(data)}.`)
  }
  return new Set(firstPlaces.keys())
}

function readId(
  node: JsonRecord,
  place: string,
  firstPlaces: Map<string, string>,
  report: Report,
): string | undefined {
  const id = ownValue(node, 'id')
  if (typeof id !== 'string' || id === '') {
    report(`${place}/id`, `A node needs a string "id" that is not empty, but has ${showValue(id)}.`)
    return undefined
  }
  const first = firstPlaces.get(id)
  if (first === undefined) firstPlaces.set(id, place)
  else
    report(`${place}/id`, `The node id ${showValue(id)} is already used by ${first}; give each node its own.`)
  return id
}

function refuseData(
  id: string | undefined,
  data: JsonRecord,
  kinds: KindRegistry,
  path: string,
  report: Report,
): void {
  const reservedFor = id === undefined ? undefined : reservedNodeIds.get(id)
  const kindName = ownValue(data, 'type')
  if (reservedFor !== undefined && kindName !== reservedFor) {
    report(
      `${path}/type`,
      `The node id "${id}" is kept for the kind "${reservedFor}", but this node's data.type is ` +
        `${showValue(kindName)}; change the one or the other.`,
    )
  }
  const kind = findKind(data, kinds)
  if (kind === undefined) return
  const repeated = kind.repeatsNodeId
  if (repeated !== undefined && id !== undefined && Object.hasOwn(data, repeated) && data[repeated] !== id) {
    report(
      `${path}/${pointerSegment(repeated)}`,
      `Must equal the id of the node, ${showValue(id)}, but is ${showValue(data[repeated])}.`,
    )
  }
  checkFields(data, commonFields, path, report)
  checkFields(data, kind.fields, path, report)
}

/** Reports the errors of each edge. `nodeIds` is undefined when the nodes are unreadable. */
export function refuseEdges(
  edges: readonly unknown[],
  nodeIds: ReadonlySet<string> | undefined,
  path: string,
  report: Report,
): void {
  const firstPlaces = new Map<string, string>()
  for (const [index, edge] of edges.entries()) {
    const place = `${path}/${index}`
    if (!isJsonRecord(edge)) {
      report(place, `An edge must be an object with "source" and "target", but is ${showValue(edge)}.`)
      continue
    }
    const source = readEnd(edge, 'source', sourcePort, nodeIds, place, report)
    const target = readEnd(edge, 'target', targetPort, nodeIds, place, report)
    const edgeCase = readCase(edge, place, report)
    if (source === undefined || target === undefined || edgeCase === undefined) continue
    // JSON separates the parts whatever characters the ids contain.
    const identity = JSON.stringify([source, target, edgeCase.name ?? null])
    const first = firstPlaces.get(identity)
    if (first === undefined) {
      firstPlaces.set(identity, place)
      continue
    }
    const between = `from ${showValue(source)} to ${showValue(target)}`
    report(place, `The edge ${between} is the same as ${first}; remove one of them.`)
  }
}

/** The cell of one end, where it is a string. */
function readEnd(
  edge: JsonRecord,
  side: 'source' | 'target',
  portOf: (cell: string) => string,
  nodeIds: ReadonlySet<string> | undefined,
  place: string,
  report: Report,
): string | undefined {
  const end = ownValue(edge, side)
  if (!isJsonRecord(end)) {
    report(`${place}/${side}`, `Must be an object with "cell" and "port", but is ${showValue(end)}.`)
    return undefined
  }
  const cell = ownValue(end, 'cell')
  const port = ownValue(end, 'port')
  if (typeof cell !== 'string') {
    report(`${place}/${side}/cell`, `Must be a string, the id of a node, but is ${showValue(cell)}.`)
    if (typeof port !== 'string') {
      report(`${place}/${side}/port`, `Must be a string, but is ${showValue(port)}.`)
    }
    return undefined
  }
  if (nodeIds !== undefined && !nodeIds.has(cell)) {
    report(`${place}/${side}/cell`, `No node has the id ${showValue(cell)}; add the node or remove the edge.`)
  }
  if (port !== portOf(cell)) {
    report(`${place}/${side}/port`, `Must be ${showValue(portOf(cell))}, but is ${showValue(port)}.`)
  }
  return cell
}

/** The case of an edge, if it has one; undefined when it cannot be read. */
function readCase(edge: JsonRecord, place: string, report: Report): { name?: string } | undefined {
  if (!Object.hasOwn(edge, 'data')) return {}
  const data = edge['data']
  if (!isJsonRecord(data)) {
    report(`${place}/data`, `Must be an object where it is present, but is ${showValue(data)}.`)
    return undefined
  }
  if (!Object.hasOwn(data, 'case')) return {}
  const name = data['case']
  if (typeof name === 'string') return { name }
  report(`${place}/data/case`, `Must be a string, the id of a case, but is ${showValue(name)}.`)
  return undefined
}
