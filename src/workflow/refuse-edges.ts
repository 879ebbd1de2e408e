import { sourcePort, targetPort } from './graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import type { Report } from './shape.ts'
import { showValue } from './show-value.ts'

/** Reports what is wrong with each edge. `nodeIds` is undefined when the nodes could not be read. */
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
    // JSON keeps the parts apart whatever characters the ids hold.
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
