import { parseExact } from '../../api/exact-json.ts'
import { type Alignment, alignBoxes, type Box } from '../model/align.ts'
import { copyText, pasteEdit } from '../model/clipboard.ts'
import { connectionProblem } from '../model/connect.ts'
import type { Edit } from '../model/edit.ts'
import type { EditorStore } from '../model/editor-store.ts'
import {
  edgeKey,
  type Graph,
  type GraphEdge,
  type GraphNode,
  makeEdge,
  type Point,
  type Positions,
  withEnds,
} from '../model/graph.ts'
import { tidyUpGroups } from '../model/lay-out-groups.ts'
import { answering, newNode } from '../model/new-node.ts'
import { replaceKind } from '../model/replace-kind.ts'
import { branchesOf, errorBranch, knownCases } from '../panels/case-edits.ts'
import type { Checks, KindRecord, KindsData } from '../workflow-editor.ts'
import { cardSize, gridStep, nodeGap } from './card-size.ts'
import { sizesOf } from './ports.ts'
import { createShapeCommands, type ShapeCommands } from './shape-commands.ts'

interface CommandSource {
  store: EditorStore
  mayWrite: boolean
  /** Positions of all drawn nodes, including those without a stored position. */
  positions: Positions
  checks: Pick<Checks, 'outline'>
  kinds: KindsData
  language: 'en' | 'zh'
  /** Called when the pasted or duplicated nodes are selected. */
  onPaste(): void
}

/** The commands of the canvas, for keys, buttons and the palette. */
export interface Commands {
  remove(): void
  duplicate(): void
  /** The selected nodes as clipboard text; undefined if none is selected. */
  copied(): string | undefined
  paste(text: string, middle?: Point): void
  selectAll(): void
  /** Disables or enables the selected nodes; without a value, the opposite of the first one. */
  disable(isDisabled?: boolean): void
  setErrorBranch(id: string, isOn: boolean): void
  /** Changes the kind of a node, which keeps its id, title, edges and the settings that both kinds have. */
  replaceKind(id: string, kind: KindRecord, commonFields: readonly string[]): void
  /** Moves nodes and notes. */
  move(positions: Positions, notes?: Positions): void
  nudge(dx: number, dy: number): void
  /** Aligns or distributes the selected nodes. */
  align(how: Alignment): void
  /**
   * Adds a node and returns its id: after the only selected node unless a position is given. With `from`, that port is
   * connected to it.
   */
  add(
    kind: KindRecord,
    options: { at?: Point; middle: Point; from?: { id: string; branch: string | undefined } },
  ): string | undefined
  /** Adds a node in the middle of an edge and returns its id. Later nodes make room if it does not fit at the position. */
  insert(kind: KindRecord, key: string, at?: Point): string | undefined
  connect(from: string, to: string, branch?: string): void
  reconnect(key: string, edge: GraphEdge): void
  tidyUp(): void
  shapes: ShapeCommands
}

const snap = (value: number): number => Math.round(value / gridStep) * gridStep

export function createCommands({
  store,
  mayWrite,
  positions,
  checks,
  kinds,
  language,
  onPaste,
}: CommandSource): Commands {
  const edit = (change: Edit, group?: string): void => {
    if (mayWrite) store.edit(change, group === undefined ? {} : { group })
  }
  /** Two keys may arrive before the next render, so the store's state is used instead of the rendered one. */
  const here = (): Positions => ({ ...positions, ...store.state().positions })
  const drawing = () => ({ ...store.state(), positions: here() })
  const selected = (): string[] => [...store.state().selection.nodes]
  const sizes = () => sizesOf(store.state().graph, checks.outline)

  const shapes = createShapeCommands({ store, mayWrite, edit })
  const move = (moved: Positions, notes: Positions = {}, group?: string): void => {
    // Nodes without a stored position keep the one shown, instead of being laid out again around the moved
    // ones.
    const { positions: placed, graph } = store.state()
    const unplaced = graph.nodes.filter(({ id }) => !Object.hasOwn(placed, id) && positions[id])
    const seen = Object.fromEntries(unplaced.map(({ id }) => [id, positions[id]!]))
    const moving: Edit = { type: 'nodes.move', positions: { ...seen, ...moved } }
    const edits = shapes.moveEdits(notes)
    edit(edits.length > 0 ? { type: 'many', edits: [moving, ...edits] } : moving, group)
  }
  const paste = (text: string, offset: Point): void => {
    const pasted = mayWrite && pasteEdit(drawing(), text, offset, parseExact)
    if (!pasted) return
    edit(pasted.edit)
    store.select(pasted.ids, [], pasted.shapeIds)
    onPaste()
  }
  /** The changes that a new edge makes in the node that it leads to; `added` is not in the graph yet. */
  const answers = (edge: GraphEdge, added?: GraphNode): Edit[] => {
    const nodes = [...store.state().graph.nodes, ...(added ? [added] : [])]
    const [from, to] = [edge.source, edge.target].map(({ cell }) => nodes.find(({ id }) => id === cell))
    if (!from || !to || edge.data?.case === errorBranch) return []
    const data = answering(kinds.kinds, from, to)
    return data ? [{ type: 'node.change', id: to.id, data }] : []
  }
  const boxesOf = (nodes: Iterable<string>, notes: Iterable<string>): Map<string, Box> => {
    const [places, size, drawn] = [here(), sizes(), store.state().shapes]
    const cards = [...nodes].flatMap(id =>
      places[id] ? [[id, { ...places[id], ...size(id) }] as const] : [],
    )
    const shown = [...notes].flatMap(id => (drawn[id]?.type === 'note' ? [[id, drawn[id]] as const] : []))
    return new Map<string, Box>([...cards, ...shown])
  }
  const copied = (): string | undefined => {
    const { selection } = store.state()
    if (selection.nodes.size + selection.shapes.size === 0) return undefined
    return copyText(drawing(), selection.nodes, selection.shapes)
  }

  return {
    shapes,
    copied,
    move,
    remove: () => {
      const { selection } = store.state()
      const edits: Edit[] = [
        ...[...selection.edges].map(key => ({ type: 'edge.remove' as const, key })),
        ...[...selection.nodes].map(id => ({ type: 'node.remove' as const, id })),
        ...shapes.removeEdits(),
      ]
      if (edits.length === 0) return
      edit({ type: 'many', edits })
      if (mayWrite) store.select([])
    },
    duplicate: () => {
      const text = copied()
      if (text !== undefined) paste(text, { x: 40, y: 40 })
    },
    paste: text => paste(text, { x: 40, y: 40 }),
    selectAll: () => {
      const state = store.state()
      const notes = Object.entries(state.shapes).filter(([, { type }]) => type === 'note')
      store.select(
        state.graph.nodes.map(({ id }) => id),
        [],
        notes.map(([id]) => id),
      )
    },
    disable: given => {
      const { graph, selection } = store.state()
      const nodes = graph.nodes.filter(({ id, data }) => {
        return selection.nodes.has(id) && data.type !== 'input' && data.type !== 'end'
      })
      const isDisabled = given ?? nodes[0]?.data['disabled'] !== true
      const edits = nodes.map(({ id, data: { disabled: _, ...data } }): Edit => {
        return { type: 'node.change', id, data: isDisabled ? { ...data, disabled: true } : data }
      })
      if (edits.length > 0) edit({ type: 'many', edits })
    },
    setErrorBranch: (id, isOn) => {
      const { graph } = store.state()
      const node = graph.nodes.find(each => each.id === id)
      if (!node) return
      const { on_error: _, ...data } = node.data
      const gone = graph.edges.filter(edge => {
        return !isOn && edge.source.cell === id && edge.data?.case === errorBranch
      })
      edit({
        type: 'many',
        edits: [
          { type: 'node.change', id, data: isOn ? { ...data, on_error: 'branch' } : data },
          ...gone.map(edge => ({ type: 'edge.remove' as const, key: edgeKey(edge) })),
        ],
      })
    },
    replaceKind: (id, kind, commonFields) => {
      const replaced = replaceKind(store.state().graph, id, kind, commonFields)
      if (replaced) edit({ type: 'graph.replace', graph: replaced })
    },
    nudge: (dx, dy) => {
      const { nodes, notes } = shapes.moved()
      const boxes = boxesOf(nodes, notes)
      const by = ({ x, y }: Box): Point => ({ x: x + dx, y: y + dy })
      const moved = (ids: readonly string[]): Positions =>
        Object.fromEntries(ids.flatMap(id => (boxes.has(id) ? [[id, by(boxes.get(id)!)]] : [])))
      if (boxes.size > 0) move(moved(nodes), moved(notes), `nudge ${[...boxes.keys()].join(' ')}`)
    },
    align: how => {
      const { selection, shapes: drawn } = store.state()
      const notes = [...selection.shapes].filter(id => drawn[id]?.type === 'note')
      const places = alignBoxes(boxesOf(selection.nodes, notes), how)
      move(places, Object.fromEntries(notes.flatMap(id => (places[id] ? [[id, places[id]]] : []))))
    },
    add: (kind, { at, middle, from: given }) => {
      if (!mayWrite) return undefined
      const { graph } = store.state()
      const node = newNode(graph, kind, kind.title[language], language)
      const [before, ...others] = at ? [] : selected()
      const last = others.length === 0 ? before : undefined
      const from =
        given ?? (last === undefined ? undefined : { id: last, branch: freeCase(store, checks, last) })
      const wanted = at ?? (from === undefined ? middle : behind(here()[from.id] ?? middle))
      const edits: Edit[] = [{ type: 'node.add', node, position: freePlace(wanted, here(), sizes()) }]
      if (from !== undefined) {
        const grown = { ...graph, nodes: [...graph.nodes, node] }
        const edge = makeEdge(from.id, node.id, from.branch)
        if (connectionProblem(grown, from.id, node.id, from.branch) === undefined)
          edits.push({ type: 'edge.add', edge }, ...answers(edge, node))
      }
      edit({ type: 'many', edits })
      store.select([node.id])
      return node.id
    },
    insert: (kind, key, at) => {
      const { graph } = store.state()
      const edge = graph.edges.find(each => edgeKey(each) === key)
      if (!mayWrite || !edge || kind.kind === 'input' || kind.kind === 'end') return undefined
      const node = newNode(graph, kind, kind.title[language], language)
      const places = here()
      const free = at && freePlace(at, places, sizes())
      const isFitting = free !== undefined && free.y === snap(at!.y)
      const moved = isFitting ? {} : roomAfter(graph, edge, places)
      const behindIt = { ...places, ...moved }
      const source = places[edge.source.cell] ?? { x: 0, y: 0 }
      const position = isFitting ? free : freePlace(behind(source), behindIt, sizes())
      const into = withEnds(edge, { to: node.id })
      const onward = makeEdge(node.id, edge.target.cell, knownCases(node, {})[0])
      edit({
        type: 'many',
        edits: [
          { type: 'node.add', node, position },
          { type: 'edge.reconnect', key, edge: into },
          { type: 'edge.add', edge: onward },
          ...answers(into, node),
          ...answers(onward, node),
          ...(Object.keys(moved).length > 0 ? [{ type: 'nodes.move' as const, positions: behindIt }] : []),
        ],
      })
      store.select([node.id])
      return node.id
    },
    connect: (from, to, branch) => {
      const edge = makeEdge(from, to, branch)
      edit({ type: 'many', edits: [{ type: 'edge.add', edge }, ...answers(edge)] })
    },
    reconnect: (key, edge) =>
      edit({ type: 'many', edits: [{ type: 'edge.reconnect', key, edge }, ...answers(edge)] }),
    tidyUp: () => {
      const { graph, shapes: drawn } = store.state()
      const nodes = new Map(graph.nodes.map(node => [node.id, node]))
      const casesOf = (id: string) => branchesOf(nodes.get(id), checks.outline)
      const { positions, notes } = tidyUpGroups(graph, drawn, sizes(), casesOf)
      move(positions, notes)
    },
  }
}

const behind = ({ x, y }: Point): Point => ({ x: x + cardSize.width + nodeGap, y })

/** New positions for the target of an edge and all nodes after it, so that another node fits in between. */
function roomAfter(graph: Graph, { source, target }: GraphEdge, places: Positions): Positions {
  const [from, to] = [places[source.cell], places[target.cell]]
  const missing = from && to && to.x > from.x ? from.x + 2 * (cardSize.width + nodeGap) - to.x : 0
  if (missing <= 0) return {}
  const next = new Map<string, string[]>()
  for (const edge of graph.edges)
    next.set(edge.source.cell, [...(next.get(edge.source.cell) ?? []), edge.target.cell])
  // A set iterates in insertion order, including entries added during iteration.
  const after = new Set([target.cell])
  for (const id of after) for (const each of next.get(id) ?? []) after.add(each)
  const moved = [...after].flatMap(id => {
    const place = places[id]
    return place ? [[id, { x: place.x + missing, y: place.y }] as const] : []
  })
  return Object.fromEntries(moved)
}

type Sizes = ReturnType<typeof sizesOf>

/** The next free position below. */
function freePlace({ x, y }: Point, positions: Positions, sizes: Sizes): Point {
  const place = { x: snap(x), y: snap(y) }
  const others = Object.entries(positions).map(([id, other]) => ({ ...other, height: sizes(id).height }))
  const isTaken = (): boolean =>
    others.some(
      other =>
        Math.abs(other.x - place.x) < cardSize.width + 16 &&
        place.y < other.y + other.height + 16 &&
        other.y < place.y + cardSize.height + 16,
    )
  while (isTaken()) place.y += gridStep * 2
  return place
}

/** The first branch of a branching node that has no connection yet. */
export function freeCase(
  store: EditorStore,
  checks: Pick<Checks, 'outline'>,
  from: string,
): string | undefined {
  const { graph } = store.state()
  const cases = knownCases(
    graph.nodes.find(({ id }) => id === from),
    checks.outline,
  )
  const taken = new Set(graph.edges.filter(edge => edge.source.cell === from).map(edge => edge.data?.case))
  return cases.find(each => !taken.has(each)) ?? cases[0]
}
