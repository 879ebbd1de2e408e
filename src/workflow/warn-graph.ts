import { endKind, findKind, type Graph, inputKind, kindName } from './graph.ts'
import { findReachable, type GraphLinks, type Link, linkGraph } from './graph-links.ts'
import type { KindRegistry } from './node-kind.ts'
import { findRunOrder, type RunOrder } from './run-order.ts'
import { showNames, showValue } from './show-value.ts'
import { findTopologicalOrder } from './topological-order.ts'
import { ReferenceChecker } from './warn-references.ts'
import { warnSettings } from './warn-settings.ts'
import { type Warn, type Warning, WarningList } from './warning.ts'

const longestNodeId = 200

/**
 * Everything that a graph may be stored with but that its author should know, all at once. The graph must be
 * one that `refuseGraph` found nothing wrong with. `pointer` is where it stands in the request.
 */
export function warnGraph(graph: Graph, kinds: KindRegistry, pointer: string): Warning[] {
  const warnings = new WarningList()
  const { warn } = warnings
  const places = new Map(graph.nodes.map((node, place) => [node.id, place]))
  const links = linkGraph(graph, places)
  const inputs = findPlaces(graph, inputKind)
  const reachable = findReachable(links, inputs)
  warnMissingEnds(graph, inputs, `${pointer}/nodes`, warn)

  const { order, cycle } = findTopologicalOrder(links)
  if (cycle) warnCycle(graph, cycle, `${pointer}/edges`, warn)
  const runOrder = order && orderRuns(graph, kinds, links, order, inputs, reachable)

  const references = new ReferenceChecker(graph, kinds, places, runOrder, warn)
  for (const [place, node] of graph.nodes.entries()) {
    const path = `${pointer}/nodes/${place}`
    if (inputs.length > 0 && !reachable[place]) {
      const message = `No path of edges leads from an input node to ${showValue(node.id)}, so it never runs.`
      warn('unreachable', path, message)
    }
    if (node.id.length > longestNodeId) {
      const message = `The id of a node that runs has at most ${longestNodeId} characters: every event names it.`
      warn('node_id_too_long', `${path}/id`, message)
    }
    warnSettings(node, kinds, path, warn)
    references.checkNode(place, path)
  }
  return warnings.all()
}

function findPlaces(graph: Graph, kind: string): number[] {
  const places: number[] = []
  for (const [place, node] of graph.nodes.entries()) if (kindName(node) === kind) places.push(place)
  return places
}

function warnMissingEnds(graph: Graph, inputs: readonly number[], path: string, warn: Warn): void {
  if (inputs.length === 0) {
    warn('no_input', path, `No node has the data.type "${inputKind}"; a run needs one to start from.`)
  }
  if (!graph.nodes.some(node => kindName(node) === endKind)) {
    warn('no_end', path, `No node has the data.type "${endKind}"; a run needs one to close with.`)
  }
}

/** Points at the edge that closes the cycle. */
function warnCycle(graph: Graph, cycle: readonly Link[], path: string, warn: Warn): void {
  const names = cycle.map(link => graph.nodes[link.from]!.id)
  const closing = cycle.at(-1)!
  const back = showValue(graph.nodes[closing.to]!.id)
  const circle = `${showNames(names, 10, ' → ')} → ${back}`
  const message = `These nodes run in a circle: ${circle}; remove one of their edges.`
  warn('cycle', `${path}/${closing.edge}`, message)
}

function orderRuns(
  graph: Graph,
  kinds: KindRegistry,
  links: GraphLinks,
  order: readonly number[],
  inputs: readonly number[],
  reachable: readonly boolean[],
): RunOrder {
  return findRunOrder({
    links,
    order,
    // An input node that others lead to waits for them, so only the free ones start every run.
    starts: inputs.filter(place => links.incoming[place]!.length === 0),
    reachable,
    casesOf: place => {
      const { data } = graph.nodes[place]!
      const kind = findKind(data, kinds)
      return kind?.mayChooseNone?.(data) ? undefined : kind?.cases?.(data)
    },
  })
}
