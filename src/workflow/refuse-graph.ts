import type { Finding } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import type { KindRegistry } from './node-kind.ts'
import { refuseEdges } from './refuse-edges.ts'
import { refuseNodes } from './refuse-nodes.ts'
import type { Report } from './shape.ts'
import { showValue } from './show-value.ts'

/**
 * Far more than 2,000 nodes and 10,000 edges can give by their form. Only a graph with masses of wrong values
 * inside single fields gets here, and a body of a few megabytes must not grow into gigabytes of findings.
 */
const mostFindings = 100_000

/**
 * Everything that keeps a graph from being stored, all at once; an empty list means it is a `Graph`.
 * `pointer` is where the graph stands in the request. Takes any JSON value and never throws.
 */
export function refuseGraph(graph: unknown, kinds: KindRegistry, pointer: string): Finding[] {
  const findings: Finding[] = []
  const report: Report = (path, message) => {
    if (findings.length < mostFindings) findings.push({ path, message })
  }
  if (!isJsonRecord(graph)) {
    report(pointer, `The workflow must be an object with "nodes" and "edges", but is ${showValue(graph)}.`)
    return findings
  }
  const nodes = readList(graph, 'nodes', limits.graphNodes, pointer, report)
  const edges = readList(graph, 'edges', limits.graphEdges, pointer, report)
  // Without readable nodes every edge would seem to lead nowhere: the one finding about them is enough.
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
