import { limits } from '../../contract/limits.ts'
import { unusableFile } from '../../kernel/app-error.ts'
import { edge, type GraphEdge, type GraphNode } from '../../workflow/graph.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import type { DifyEdge, DifyNode } from './app.ts'
import { type ConvertedWorkflow, node, turnCount } from './conversion.ts'
import { clipped, flagAt, textAt } from './read.ts'
import type { Scope } from './scope.ts'

/** Nodes that only mark where a run begins. */
const startTypes = /^(start|iteration-start|loop-start|trigger-.*)$/

const isMark = ({ type }: DifyNode): boolean => startTypes.test(type)

/** The nodes of the file that make up one graph, and their edges. */
class Members {
  readonly nodes: readonly DifyNode[]
  readonly #outgoing = new Map<string, DifyEdge[]>()
  readonly #targets = new Set<string>()

  constructor({ conversion, container }: Scope) {
    const { app } = conversion
    this.nodes = app.nodes.filter(each => each.parentId === container?.id)
    const ids = new Set(this.nodes.map(({ id }) => id))
    for (const each of app.edges) {
      if (!ids.has(each.source) || !ids.has(each.target)) continue
      const others = this.#outgoing.get(each.source)
      if (others) others.push(each)
      else this.#outgoing.set(each.source, [each])
      this.#targets.add(each.target)
    }
  }

  edgesOf({ id }: DifyNode): readonly DifyEdge[] {
    return this.#outgoing.get(id) ?? []
  }

  starts(container: DifyNode | undefined): readonly DifyNode[] {
    const first = textAt(container?.data ?? {}, 'start_node_id')
    const marked = this.nodes.filter(
      each =>
        isMark(each) ||
        each.id === first ||
        flagAt(each.data, 'isIterationStart') ||
        flagAt(each.data, 'isLoopStart'),
    )
    if (marked.length > 0) return marked
    if (!container) throw unusableFile('its workflow has no start node')
    return this.nodes.filter(({ id }) => !this.#targets.has(id))
  }

  /** Sorts the nodes so that each comes after its predecessors. Fails if there is a cycle. */
  inOrder(starts: readonly DifyNode[]): DifyNode[] {
    const reached = new Set(starts.map(({ id }) => id))
    for (const id of reached) for (const { target } of this.#outgoing.get(id) ?? []) reached.add(target)
    const open = new Map<string, number>()
    const nodes = this.nodes.filter(({ id }) => reached.has(id))
    for (const each of nodes)
      for (const { target } of this.edgesOf(each)) open.set(target, (open.get(target) ?? 0) + 1)
    const byId = new Map(nodes.map(each => [each.id, each]))
    const ordered = nodes.filter(({ id }) => !open.has(id))
    for (const each of ordered)
      for (const { target } of this.edgesOf(each)) {
        const left = open.get(target)! - 1
        open.set(target, left)
        if (left === 0) ordered.push(byId.get(target)!)
      }
    if (ordered.length < nodes.length) {
      const circle = nodes.find(({ id }) => (open.get(id) ?? 0) > 0)!
      throw unusableFile(`its nodes run in a circle, for example "${circle.title.slice(0, 100)}"`)
    }
    return ordered
  }
}

/** The result of a node of the file: one or several nodes in a row. */
export interface PlacedNode {
  readonly nodes: readonly GraphNode[]
  /** The edges between these nodes. */
  readonly edges: readonly (readonly [from: string, to: string, chosen?: string])[]
  /** The first and the last of them. */
  readonly entry: string
  readonly exit: string
  readonly isEnd: boolean
  /** The case of an edge that starts at a branch of the original node. */
  caseOf(handle: string): string | undefined
}

export interface NewGraph {
  readonly id: string
  readonly name: string
  /** Settings of the input node, and its title. */
  readonly input: JsonRecord
  /** Nodes between the input and those of the file. */
  readonly first?: readonly GraphNode[]
  /** The outputs at the end; called when all nodes are converted. */
  outputs?(): JsonRecord
}

export function buildGraph(
  scope: Scope,
  given: NewGraph,
  convertNode: (node: DifyNode, scope: Scope) => PlacedNode,
): ConvertedWorkflow {
  const members = new Members(scope)
  const starts = members.starts(scope.container)
  const ordered = members.inOrder(starts)
  const placed = new Map<string, PlacedNode>()
  for (const each of ordered) if (!isMark(each)) placed.set(each.id, convertNode(each, scope))

  const first = [...(given.first ?? []), ...turnCounter(scope)]
  const chain = ['input', ...first.map(({ id }) => id)]
  const entry = chain.at(-1)!
  const edges = new Map<string, GraphEdge>()
  /** Adds each edge once. */
  const connect = (from: string, to: string, chosen?: string): void =>
    void edges.set(JSON.stringify([from, to, chosen ?? null]), edge(from, to, chosen))
  for (const [index, id] of chain.slice(1).entries()) connect(chain[index]!, id)
  for (const start of starts) if (!isMark(start)) connect(entry, placed.get(start.id)!.entry)
  const leaves: string[] = []
  for (const each of ordered) {
    const from = placed.get(each.id)
    for (const { target, handle } of members.edgesOf(each)) {
      const to = placed.get(target)
      if (to) connect(from?.exit ?? entry, to.entry, from?.caseOf(handle))
    }
    if (members.edgesOf(each).length === 0 && !from?.isEnd) leaves.push(from?.exit ?? entry)
  }
  const inner = [...placed.values()]
  const isOpen = leaves.length === 0 && !inner.some(({ isEnd }) => isEnd)
  if (isOpen) leaves.push(entry)
  for (const { edges: between } of inner) for (const each of between) connect(...each)
  for (const leaf of leaves) connect(leaf, 'end')
  const outputs = given.outputs?.()
  const input = node('input', 'base', { type: 'input', ...given.input, ...declarations(scope) })
  const end = node('end', 'base', { type: 'end', title: 'End', ...(outputs && { outputs }) })
  const nodes = [input, ...first, ...inner.flatMap(each => each.nodes), ...(leaves.length > 0 ? [end] : [])]
  return {
    id: given.id,
    name: clipped(given.name, limits.nameLength),
    graph: { nodes, edges: [...edges.values()] },
  }
}

/** A node that counts the turns of a conversation, added if another node refers to their number: Dify counts them itself. */
function turnCounter({ conversion, outer }: Scope): GraphNode[] {
  const counter = conversion.memory.get(turnCount)
  if (!counter || outer) return []
  const changes = [{ name: counter.name, op: 'add', value: 1 }]
  return [node(conversion.newId('count_turns'), 'base', { type: 'variable', title: 'Count turns', changes })]
}

/** The variables of the file: the main workflow declares all of them, an inner one those that it uses. */
function declarations({ conversion, outer, usedEnvironment, usedMemory }: Scope): JsonRecord {
  const environment = [...conversion.environment].filter(([name]) => !outer || usedEnvironment.has(name))
  const memory = [...conversion.memory].filter(([name]) => !outer || usedMemory.has(name))
  return {
    ...(environment.length > 0 && {
      environment: environment.map(([, { name, value, description }]) => ({ name, value, description })),
    }),
    ...(memory.length > 0 && {
      memory: memory.map(([, { name, value, description }]) => ({ name, default: value, description })),
    }),
  }
}
