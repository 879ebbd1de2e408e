import type { InputVariable } from '../../contract/input-variable.ts'
import { atOnce, type Pausable } from '../../kernel/slices.ts'
import { declaredIn, findKind, type Graph, inputKind, isDisabled, kindName } from '../graph.ts'
import { findTopologicalOrder, type GraphLinks, linkGraph, outputNames } from '../graph-links.ts'
import { type JsonRecord, ownValue } from '../json-record.ts'
import { type DeclaredValues, fieldsOf, type KindRegistry, type NodeKind } from '../node-kind.ts'
import { DottedNames } from '../references.ts'
import { findTemplates } from '../shape.ts'
import type { Outputs } from '../step.ts'
import { type StepRule, stepRule } from '../step-rule.ts'
import { parseTemplate, type Template } from './template.ts'

interface PlannedTemplate extends Template {
  /** Its place in the data of the node. */
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
  readonly isDisabled: boolean
  /** Templates by their text, because kinds look them up that way. */
  readonly templates: ReadonlyMap<string, PlannedTemplate>
  /** The names of the secrets that the node refers to, in fields that allow it. */
  readonly secretNames: readonly string[]
  /** Its streamed message to the user, if any. */
  readonly message: Template | undefined
  /** Its turn among the nodes that send messages; -1 if it never does. */
  readonly turn: number
}

/** A graph prepared for execution, once for all runs of a version. */
export interface Plan extends DeclaredValues {
  readonly nodes: readonly PlannedNode[]
  readonly links: GraphLinks
  readonly starts: readonly number[]
  readonly variables: readonly InputVariable[]
  /** Names below `sys` that its templates use. */
  readonly systemNames: ReadonlySet<string>
  readonly secretNames: readonly string[]
  /** How many nodes may send messages. */
  readonly turns: number
  /** The nodes that may ask the user before each node, as a set of bits. */
  readonly askedBefore: readonly bigint[]
  /** The nodes that may read the outputs of each node; undefined where the run holds them anyway. */
  readonly readers: readonly (readonly number[] | undefined)[]
  template(text: string): Template
}

/** `graph` must be runnable: no cycle, only known kinds. */
export function* planGraph(graph: Graph, kinds: KindRegistry): Pausable<Plan> {
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
  yield
  const nodes: PlannedNode[] = []
  for (const [place, node] of graph.nodes.entries()) {
    const kind = findKind(node.data, kinds)
    if (!kind) throw new Error(`Unknown node kind ${String(kindName(node))}`)
    const title = ownValue(node.data, 'title')
    const message = kind.messageField === undefined ? undefined : ownValue(node.data, kind.messageField)
    const templates = findTemplates(node.data, fieldsOf(kind)).map(place => ({
      ...place,
      ...template(place.text),
    }))
    nodes.push({
      place,
      id: node.id,
      data: node.data,
      kind,
      title: typeof title === 'string' ? title : '',
      rule: stepRule(kind, node.data),
      isDisabled: isDisabled(node),
      templates: new Map(templates.map(({ text, pointer, parts }) => [text, { pointer, parts }])),
      secretNames: templates.flatMap(place => (place.allowsSecrets ? secretsIn(place) : [])),
      message: typeof message === 'string' && !isDisabled(node) ? template(message) : undefined,
      turn: turnOf.get(place) ?? -1,
    })
    yield
  }
  const starts = nodes.flatMap(({ kind, place }) => (kind.kind === inputKind ? [place] : []))
  const systemNames = new Set<string>()
  for (const { templates } of nodes)
    for (const { parts } of templates.values())
      for (const part of parts)
        if (typeof part === 'object' && part.from === 'sys') systemNames.add(part.path[0]!)
  const secretNames = [...new Set(nodes.flatMap(node => node.secretNames))]
  const askedBefore = findAskedBefore(nodes, links, order)
  const readers = findReaders(nodes, links, template)
  return {
    nodes,
    links,
    starts,
    variables: variablesOf(nodes, starts),
    systemNames,
    secretNames,
    turns: turnOf.size,
    askedBefore,
    readers,
    template,
    ...declaredIn(graph, kinds),
  }
}

const variablesOf = (nodes: readonly PlannedNode[], starts: readonly number[]): InputVariable[] =>
  starts.flatMap(place => nodes[place]!.kind.variables?.(nodes[place]!.data) ?? [])

/** Looks at every text of a node, including texts that its kind does not declare as templates. */
function findReaders(
  nodes: readonly PlannedNode[],
  links: GraphLinks,
  template: Plan['template'],
): Plan['readers'] {
  const readers = nodes.map(() => new Set<number>())
  const read = ({ parts }: Template, reader: number): void => {
    for (const part of parts)
      if (typeof part === 'object' && part.from === 'node') readers[part.node]!.add(reader)
  }
  const readTexts = (value: unknown, { place, templates }: PlannedNode): void => {
    if (typeof value === 'string') {
      if (value.includes('{{#') && !templates.has(value)) read(template(value), place)
    } else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) readTexts(each, nodes[place]!)
  }
  for (const node of nodes) {
    for (const each of node.templates.values()) read(each, node.place)
    readTexts(node.data, node)
    if (node.kind.gathers) for (const { from } of links.incoming[node.place]!) readers[from]!.add(node.place)
  }
  return nodes.map(({ place, turn, kind }) => (turn < 0 && !kind.gathers ? [...readers[place]!] : undefined))
}

export const secretsIn = ({ parts }: Template): string[] =>
  parts.flatMap(part => (typeof part === 'object' && part.from === 'secret' ? [part.path.join('.')] : []))

function findAskedBefore(
  nodes: readonly PlannedNode[],
  links: GraphLinks,
  order: readonly number[],
): readonly bigint[] {
  const before = new Array<bigint>(nodes.length).fill(0n)
  for (const place of order) {
    const upToHere = before[place]! | (nodes[place]!.kind.waits ? 1n << BigInt(place) : 0n)
    for (const { to } of links.outgoing[place]!) before[to]! |= upToHere
  }
  return before
}

/** Plans one node of a graph on its own, to test it. */
export function* planNode(graph: Graph, nodeId: string, kinds: KindRegistry): Pausable<Plan> {
  const { disabled: _, ...data } = graph.nodes.find(({ id }) => id === nodeId)!.data
  // Other nodes may be drafts of unknown kinds. They do not run, but the caller may supply their outputs. A disabled node
  // can be tested, too.
  const nodes = graph.nodes.map(node =>
    node.id !== nodeId && findKind(node.data, kinds) ? node : { ...node, data },
  )
  // Only an end reads what is connected to it.
  const gathers = findKind(data, kinds)?.gathers !== undefined
  const edges = graph.edges.filter(
    ({ source, target }) => gathers && target.cell === nodeId && source.cell !== nodeId,
  )
  const plan = yield* planGraph({ nodes, edges }, kinds)
  const place = plan.nodes.findIndex(node => node.id === nodeId)
  const { turn } = plan.nodes[place]!
  // Its messages wait for no other node.
  const alone = plan.nodes.with(place, { ...plan.nodes[place]!, turn: Math.min(turn, 0) })
  return { ...plan, nodes: alone, starts: [place], variables: variablesOf(plan.nodes, [place]) }
}

/** The plan of a run whose graph was deleted. */
export const emptyPlan: Plan = atOnce(planGraph({ nodes: [], edges: [] }, new Map()))

/** All outputs of the nodes connected to one, by name; with several, also by node id, because names may clash. */
export function gatherOutputs(plan: Plan, node: number, outputs: readonly (Outputs | undefined)[]): Outputs {
  const before = [...new Set(plan.links.incoming[node]!.map(link => link.from))]
  const sources = before.flatMap(from =>
    outputs[from] ? [[plan.nodes[from]!.id, outputs[from]] as const] : [],
  )
  // A null prototype, so that an output called __proto__ is only a name.
  const gathered: Record<string, unknown> = Object.create(null)
  if (sources.length > 1) for (const [id, values] of sources) gathered[id] = values
  // Undefined values are not in the journal either, and must not hide the output of another node.
  for (const [, values] of sources)
    for (const name of Object.keys(values)) if (values[name] !== undefined) gathered[name] = values[name]
  return gathered
}

/** If several ends output the same name, the order of the graph decides, not the order in which they were reached. */
export function outputsOfEnds(ends: ReadonlyMap<number, Outputs>): Outputs {
  const ordered = [...ends].sort(([one], [other]) => one - other)
  return Object.assign(Object.create(null), ...ordered.map(([, outputs]) => outputs))
}

/** The outputs that a run of the graph may have, by what its nodes declare; undefined when any name is possible. */
export function outputsOfPlan({ nodes, links }: Plan): ReadonlySet<string> | undefined {
  const possible = new Set<string>()
  for (const { kind, data, place } of nodes) {
    const own = kind.gathers?.(data)
    for (const name of own ?? []) possible.add(name)
    if (own?.length !== 0) continue
    const before = new Set(links.incoming[place]!.map(link => link.from))
    for (const from of before) {
      const source = nodes[from]!
      const names = outputNames(source.kind, source.data)
      if (!names) return undefined
      for (const name of names) possible.add(name)
      if (before.size > 1) possible.add(source.id)
    }
  }
  return possible
}
