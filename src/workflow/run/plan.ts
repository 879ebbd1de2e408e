import { DottedNames } from '../dotted-names.ts'
import { findKind, type Graph, inputKind, kindName } from '../graph.ts'
import { type GraphLinks, linkGraph } from '../graph-links.ts'
import { type JsonRecord, ownValue } from '../json-record.ts'
import { commonFields, type KindRegistry, type NodeKind } from '../node-kind.ts'
import { findTemplates } from '../shape.ts'
import { findTopologicalOrder } from '../topological-order.ts'
import { type StepRule, stepRule } from './step-rule.ts'
import { parseTemplate, type Template } from './template.ts'

export interface PlannedTemplate extends Template {
  /** Where it stands in the data, as a JSON pointer. */
  readonly pointer: string
}

export interface PlannedNode {
  readonly place: number
  readonly id: string
  readonly data: JsonRecord
  // biome-ignore lint/suspicious/noExplicitAny: only the registry knows the services of its kinds
  readonly kind: NodeKind<any>
  readonly title: string
  readonly rule: StepRule
  /** By their text, as a kind asks for them. */
  readonly templates: ReadonlyMap<string, PlannedTemplate>
  /** What it says to the user, where it speaks. */
  readonly speech: Template | undefined
  /** Its turn among those that say something; -1 where it never does. */
  readonly turn: number
}

/** A graph made ready to run, once for all runs of a version. */
export interface Plan {
  readonly nodes: readonly PlannedNode[]
  readonly links: GraphLinks
  readonly starts: readonly number[]
  /** Names below `sys` that its templates use. */
  readonly systemNames: ReadonlySet<string>
  /** How many nodes may say something. */
  readonly turns: number
  /**
   * Edges into each node that come, at once or from afar, from a node that may wait for a person; undefined where that
   * matters to nobody.
   */
  readonly held: Int32Array | undefined
  template(text: string): Template
}

/** `graph` must be runnable: no cycle, only known kinds. */
export function planGraph(graph: Graph, kinds: KindRegistry): Plan {
  const places = new Map(graph.nodes.map((node, place) => [node.id, place]))
  const nodeIds = new DottedNames(places.keys())
  const template = (text: string): Template => parseTemplate(text, nodeIds, places)
  const links = linkGraph(graph, places)
  const { order = [] } = findTopologicalOrder(links)
  const turnOf = new Map<number, number>()
  for (const place of order) {
    const kind = findKind(graph.nodes[place]!.data, kinds)
    if (kind?.messageField !== undefined || kind?.sendsMessages) turnOf.set(place, turnOf.size)
  }
  const nodes = graph.nodes.map((node, place): PlannedNode => {
    const kind = findKind(node.data, kinds)
    if (!kind) throw new Error(`No kind of node is called ${String(kindName(node))}`)
    const title = ownValue(node.data, 'title')
    const speech = kind.messageField === undefined ? undefined : ownValue(node.data, kind.messageField)
    return {
      place,
      id: node.id,
      data: node.data,
      kind,
      title: typeof title === 'string' ? title : '',
      rule: stepRule(kind, node.data),
      templates: new Map(
        findTemplates(node.data, { ...commonFields, ...kind.fields }).map(({ pointer, text }) => [
          text,
          { pointer, ...template(text) },
        ]),
      ),
      speech: typeof speech === 'string' ? template(speech) : undefined,
      turn: turnOf.get(place) ?? -1,
    }
  })
  const starts = nodes.flatMap(({ kind, place }) => (kind.kind === inputKind ? [place] : []))
  const systemNames = new Set<string>()
  for (const { templates } of nodes)
    for (const { parts } of templates.values())
      for (const part of parts)
        if (typeof part === 'object' && part.from === 'sys') systemNames.add(part.path[0]!)
  const held = turnOf.size === 0 ? undefined : findHeld(nodes, links, order)
  return { nodes, links, starts, systemNames, turns: turnOf.size, held, template }
}

function findHeld(
  nodes: readonly PlannedNode[],
  links: GraphLinks,
  order: readonly number[],
): Int32Array | undefined {
  if (!nodes.some(({ kind }) => kind.waits)) return undefined
  const held = new Int32Array(nodes.length)
  for (const place of order)
    if (held[place]! > 0 || nodes[place]!.kind.waits)
      for (const { to } of links.outgoing[place]!) held[to]! += 1
  return held
}

/** One node of a graph by itself. */
export function planNode(graph: Graph, nodeId: string, kinds: KindRegistry): Plan {
  const { data } = graph.nodes.find(({ id }) => id === nodeId)!
  // Others may be drafts of kinds that nobody knows. They do not run, but can be said to have given something.
  const nodes = graph.nodes.map(node => (findKind(node.data, kinds) ? node : { ...node, data }))
  const plan = planGraph({ nodes, edges: [] }, kinds)
  const place = plan.nodes.findIndex(node => node.id === nodeId)
  return { ...plan, starts: [place] }
}

/** Stands for a graph that is gone. */
export const emptyPlan: Plan = planGraph({ nodes: [], edges: [] }, new Map())
