import { pointerSegment } from '../contract/finding.ts'
import type { Pausable } from '../kernel/slices.ts'
import { credentialMask, isMasked, type PlacedCredential } from './credentials.ts'
import {
  edgeCase,
  endKind,
  findKind,
  type Graph,
  type GraphEdge,
  type GraphNode,
  inputKind,
  isDisabled,
  kindName,
} from './graph.ts'
import {
  errorCase,
  findReachable,
  findTopologicalOrder,
  type Link,
  linkGraph,
  takesErrorBranch,
} from './graph-links.ts'
import { isJsonRecord, ownValue } from './json-record.ts'
import { fieldsOf, type Gap, type KindRegistry, type ObjectUse, type SharedToolType } from './node-kind.ts'
import { findRunOrder } from './run-order.ts'
import { findNulls } from './shape.ts'
import { showNames, showValue } from './show-value.ts'
import { ruleGaps } from './step-rule.ts'
import { ReferenceChecker, type SecretCheck } from './warn-references.ts'
import { type Warn, type Warning, WarningList } from './warning.ts'

export type SharedToolTypes = ReadonlyMap<string, SharedToolType>

/** The objects of the workspace that a graph may refer to. */
interface KnownNames {
  secrets?: SecretCheck | undefined
  /** The shared tools of the workspace, by id. */
  tools?: SharedToolTypes | undefined
  /** Those of `namedKnowledge` that are not knowledge bases of the workspace. */
  missingKnowledge?: ReadonlySet<string> | undefined
}

const maxKnowledgeIds = 1000

/** The ids of the knowledge bases that the nodes of a graph name, as far as they are checked. */
export function* namedKnowledge({ nodes }: Graph, kinds: KindRegistry): Pausable<Set<string>> {
  const ids = new Set<string>()
  for (const node of nodes) {
    for (const { id } of knowledgeOf(node, kinds)) if (ids.size < maxKnowledgeIds) ids.add(id)
    yield
  }
  return ids
}

const knowledgeOf = (node: GraphNode, kinds: KindRegistry): ObjectUse[] =>
  isDisabled(node) ? [] : (findKind(node.data, kinds)?.knowledge?.(node.data) ?? [])

const maxNodeIdLength = 200
const nullNote = 'Is null, which counts as not set; leave the field out, or set it.'

/**
 * All warnings about a graph that `refuseGraph` accepts. `pointer` is the place of the graph in the request. Whether
 * secrets, shared tools and knowledge bases exist is checked only if they are given.
 */
export function* warnGraph(
  graph: Graph,
  kinds: KindRegistry,
  pointer: string,
  { secrets, tools, missingKnowledge }: KnownNames = {},
): Pausable<Warning[]> {
  const warnings = new WarningList()
  const { warn } = warnings
  const places = new Map(graph.nodes.map((node, place) => [node.id, place]))
  const links = linkGraph(graph, places)
  const inputs = graph.nodes.flatMap((node, place) => (kindName(node) === inputKind ? [place] : []))
  const reachable = findReachable(links, inputs)
  warnMissingEnds(graph, inputs, `${pointer}/nodes`, warn)
  yield

  const { order, cycle } = findTopologicalOrder(links)
  if (cycle) warnCycle(graph, cycle, `${pointer}/edges`, warn)
  const runOrder =
    order &&
    findRunOrder({
      links,
      order,
      // An input node with predecessors waits for them, so only the others start every run.
      starts: inputs.filter(place => links.incoming[place]!.length === 0),
      reachable,
      casesOf: place => certainCases(graph.nodes[place]!, kinds),
    })

  const references = new ReferenceChecker({ graph, kinds, places, runOrder, secrets, warn })
  for (const [place, node] of graph.nodes.entries()) {
    const path = `${pointer}/nodes/${place}`
    if (inputs.length > 0 && !reachable[place]) {
      const message = `No path of edges leads from an input node to ${showValue(node.id)}, so it never runs.`
      warn('unreachable', path, message)
    }
    if (node.id.length > maxNodeIdLength) {
      const message = `The id of a node that runs has at most ${maxNodeIdLength} characters: every event names it.`
      warn('node_id_too_long', `${path}/id`, message)
    }
    warnSettings(node, kinds, path, warn)
    if (tools) warnTools(node, kinds, { tools, path, warn })
    if (missingKnowledge) yield* warnKnowledge(knowledgeOf(node, kinds), missingKnowledge, path, warn)
    references.checkNode(place, path)
    yield
  }
  for (const [place, edge] of graph.edges.entries()) {
    warnNulls(edge, `${pointer}/edges/${place}`, warn)
    const source = graph.nodes[places.get(edge.source.cell) ?? -1]
    if (source) warnBranch(edge, source, kinds, `${pointer}/edges/${place}/data/case`, warn)
  }
  return warnings.all
}

function warnMissingEnds(graph: Graph, inputs: readonly number[], path: string, warn: Warn): void {
  if (inputs.length === 0) {
    warn('no_input', path, `No node has the data.type "${inputKind}"; a run needs one to start from.`)
  }
  if (!graph.nodes.some(node => kindName(node) === endKind)) {
    warn('no_end', path, `No node has the data.type "${endKind}"; a run needs one to close with.`)
  }
}

function warnNulls({ data }: GraphEdge, path: string, warn: Warn): void {
  if (data === null) warn('null_setting', `${path}/data`, nullNote)
  else if (data?.['case'] === null) warn('null_setting', `${path}/data/case`, nullNote)
}

/** Warns of an edge that is never followed: its case was removed or renamed. */
function warnBranch(edge: GraphEdge, source: GraphNode, kinds: KindRegistry, path: string, warn: Warn): void {
  const name = edgeCase(edge)
  const kind = findKind(source.data, kinds)
  // An imported node that is not mapped yet has the branches of its original.
  if (name === undefined || kind === undefined || kind.kind === 'unmapped') return
  const cases = kind.cases ? kind.cases(source.data) : []
  if (!cases || cases.includes(name)) return
  if (name === errorCase && takesErrorBranch(source)) return
  const known = cases.length > 0 ? ` It has ${showNames(cases, 10)}.` : ''
  const message = `${showValue(source.id)} has no branch ${showValue(name)}, so this edge is never followed.${known} Choose a branch, or delete the edge.`
  warn('branch_unknown', path, message)
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

function certainCases({ data }: GraphNode, kinds: KindRegistry): readonly string[] | undefined {
  const kind = findKind(data, kinds)
  const cases = kind?.mayChooseNone?.(data) ? undefined : kind?.cases?.(data)
  return cases && takesErrorBranch({ data }) ? [...cases, errorCase] : cases
}

/** Warns of a node that cannot run: its kind is unknown, or a required setting is missing. */
function warnSettings(node: GraphNode, kinds: KindRegistry, path: string, warn: Warn): void {
  const kind = findKind(node.data, kinds)
  if (kind === undefined) {
    const name = kindName(node)
    const problem = name === undefined ? 'This node has no data.type' : `Unknown node kind ${showValue(name)}`
    warn('unknown_kind', `${path}/data/type`, `${problem}; the node is stored, but cannot run.`)
    return
  }
  for (const place of findNulls(node.data, fieldsOf(kind)))
    warn('null_setting', `${path}/data${place}`, nullNote)
  const repeated = kind.repeatsNodeId
  if (repeated && ownValue(node.data, repeated) === null)
    warn('null_setting', `${path}/data/${pointerSegment(repeated)}`, nullNote)
  // A disabled node does not run and needs no settings.
  if (isDisabled(node)) return
  for (const field of kind.required) {
    const instead = kind.fields[field]?.unless
    if (isSet(ownValue(node.data, field)) || (instead && isSet(ownValue(node.data, instead)))) continue
    const name = `${kind.label?.en ?? kind.kind} ${showValue(node.id)}`
    const message = `${name} cannot run before ${showValue(field)} is set.`
    warn('missing_setting', `${path}/data/${pointerSegment(field)}`, message)
  }
  const at = (place: Gap['place']): string => `${path}/data/${place.map(pointerSegment).join('/')}`
  for (const { place, message, rule = 'missing_setting' } of kind.gaps?.(node.data) ?? [])
    warn(rule, at(place), message)
  for (const { place, message } of ruleGaps(node.data)) warn('setting_out_of_range', at(place), message)
}

const nameOfTool: Readonly<Record<SharedToolType, string>> = { http: 'an HTTP tool', mcp: 'an MCP server' }

function warnTools(
  node: GraphNode,
  kinds: KindRegistry,
  { tools, path, warn }: { tools: SharedToolTypes; path: string; warn: Warn },
): void {
  if (isDisabled(node)) return
  for (const { id, place, type } of findKind(node.data, kinds)?.sharedTools?.(node.data) ?? []) {
    const field = `${path}/data/${place.map(pointerSegment).join('/')}`
    const found = tools.get(id)
    if (found === undefined) {
      const message = `There is no shared tool ${showValue(id)} in this workspace, maybe because it was deleted; choose another one, or remove it.`
      warn('tool_unknown', field, message)
    } else if (type !== undefined && found !== type) {
      const message = `The shared tool ${showValue(id)} is ${nameOfTool[found]}, which this kind of node cannot call; choose ${nameOfTool[type]}.`
      warn('tool_wrong_type', field, message)
    }
  }
}

function* warnKnowledge(
  used: readonly ObjectUse[],
  missing: ReadonlySet<string>,
  path: string,
  warn: Warn,
): Pausable<void> {
  for (const { id, place } of used) {
    if (!missing.has(id)) continue
    const message = `There is no knowledge base ${showValue(id)} in this workspace, maybe because it was deleted; choose another one, or remove it.`
    warn('knowledge_unknown', `${path}/data/${place.map(pointerSegment).join('/')}`, message)
    yield
  }
}

/** Warnings about literal credentials; none of them blocks, so that only authors need them. */
export function warnCredentials(found: readonly PlacedCredential[]): Warning[] {
  const { all, warn } = new WarningList()
  for (const credential of found) {
    if (!credential.isCertain || isMasked(credential)) continue
    const message = `${credential.label} holds a literal value, which readers see as ${credentialMask} and exports leave out. Store it in Secrets, or with POST /api/v1/secret/set, and write {{#secret.name#}} here.`
    warn('credential_in_graph', credential.pointer, message)
  }
  return all
}

function isSet(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.length > 0
  if (isJsonRecord(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null
}
