import { useMemo } from 'react'
import { useLanguage } from '../../ui/preferences.ts'
import type { EditorState, EditorStore } from '../model/editor-store.ts'
import {
  edgeKey,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type NodeData,
  type Positions,
} from '../model/graph.ts'
import { layOut } from '../model/lay-out.ts'
import { branchesOf, errorBranch, knownCases } from '../panels/case-edits.ts'
import {
  type Checks,
  type KindRecord,
  type KindsData,
  type NodeMark,
  useEditorState,
  useWorkflowEditor,
} from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import { cardSize } from './card-size.ts'
import { type CardShape, portOf, shapeOf, sizesOf } from './ports.ts'
import { type DrawnShape, drawShapes, type ShapeWords } from './shape-scene.ts'

/** A node as it is drawn. Two cards with equal members look the same. */
export interface Card {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly title: string
  readonly kindTitle: string
  /** The main setting of the node in one line. */
  readonly detail: string
  readonly kind: string
  readonly group: string
  readonly severity: 'error' | 'warning' | undefined
  readonly findings: number
  readonly mark: NodeMark['status'] | undefined
  readonly markText: string
  readonly isSelected: boolean
  readonly isDisabled: boolean
  /** The label for screen readers. */
  readonly label: string
  /** Whether an edge can end here. */
  readonly hasIn: boolean
  /** Where edges start, and the height that follows from it. */
  readonly shape: CardShape
}

/** An edge as it is drawn. */
export interface Wire {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly branch: string | undefined
  /** The height of its port on the card. */
  readonly fromY: number
  /** Its branch, if the card has no port for it. */
  readonly label: string
  readonly isSelected: boolean
  /** Whether the watched run took it. */
  readonly isLive: boolean
}

export interface Scene {
  readonly cards: readonly Card[]
  readonly wires: readonly Wire[]
  /** Notes and groups. */
  readonly shapes: readonly DrawnShape[]
}

interface SceneSource {
  state: Pick<EditorState, 'graph' | 'selection' | 'shapes'>
  /** Positions of all nodes. */
  positions: Positions
  kinds: ReadonlyMap<string, KindRecord>
  checks: Pick<Checks, 'findings' | 'outline'>
  marks: ReadonlyMap<string, NodeMark>
  language: 'en' | 'zh'
  words: SceneWords
}

interface SceneWords extends ShapeWords {
  mark: (mark: NodeMark) => string
  findings: (count: number) => string
  label: (title: string, kind: string, more: string[]) => string
  onError: string
  disabled: string
}

interface Found {
  count: number
  severity: 'error' | 'warning'
}

/** Builds the scene from the graph, checks and run. */
function makeScene(source: SceneSource): Scene {
  const found = findingsByNode(source.checks)
  const { graph } = source.state
  const seen = new Map<string, Card>()
  const unnamed = sourcesOfUnnamed(graph, source.checks.outline)
  for (const node of graph.nodes)
    if (!seen.has(node.id))
      seen.set(node.id, makeCard(node, source, found.get(node.id), unnamed.has(node.id)))
  const boxOf = (id: string) => {
    const card = seen.get(id)
    return card && { x: card.x, y: card.y, width: cardSize.width, height: card.shape.height }
  }
  const { shapes, selection } = source.state
  return {
    cards: [...seen.values()],
    wires: makeWires(source, seen),
    shapes: drawShapes(shapes, selection.shapes, boxOf, source.words),
  }
}

/** Ids of the nodes that an edge leaves which belongs to none of their branches. */
function sourcesOfUnnamed(graph: Graph, outline: Checks['outline']): Set<string> {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  const isNamed = ({ source, data }: GraphEdge): boolean =>
    data?.case !== undefined && branchesOf(nodes.get(source.cell), outline).includes(data.case)
  return new Set(graph.edges.filter(edge => !isNamed(edge)).map(edge => edge.source.cell))
}

function findingsByNode({ findings }: Pick<Checks, 'findings'>): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const { nodeId, severity } of findings) {
    if (nodeId === undefined) continue
    const before = found.get(nodeId)
    const isError = severity !== 'warning' || before?.severity === 'error'
    found.set(nodeId, { count: (before?.count ?? 0) + 1, severity: isError ? 'error' : 'warning' })
  }
  return found
}

function makeCard(node: GraphNode, source: SceneSource, found: Found | undefined, isAny: boolean): Card {
  const { positions, kinds, checks, marks, language, words, state } = source
  const kindName = node.data.type ?? ''
  const kind = kinds.get(kindName)
  const kindTitle = kind?.title[language] ?? kindName
  const title = node.data.title || kindTitle || node.id
  const mark = marks.get(node.id)
  const isDisabled = node.data['disabled'] === true && kindName !== 'input' && kindName !== 'end'
  const markText = mark ? words.mark(mark) : ''
  const { x, y } = positions[node.id] ?? { x: 0, y: 0 }
  return {
    id: node.id,
    x,
    y,
    title,
    kindTitle,
    // The branches of a node take the place of this line.
    detail: knownCases(node, checks.outline).length > 0 ? '' : mainSetting(node.data, kind),
    kind: kindName,
    group: kind?.group ?? 'unknown',
    severity: found?.severity,
    findings: found?.count ?? 0,
    mark: mark?.status,
    markText,
    isSelected: state.selection.nodes.has(node.id),
    isDisabled,
    label: words.label(title, kindTitle, [
      ...(isDisabled ? [words.disabled] : []),
      ...(found ? [words.findings(found.count)] : []),
      ...(mark ? [markText] : []),
    ]),
    hasIn: kindName !== 'input',
    shape: shapeOf(node, checks.outline, words.onError, isAny),
  }
}

function makeWires({ state, marks }: SceneSource, cards: ReadonlyMap<string, Card>): Wire[] {
  const wires = new Map<string, Wire>()
  for (const edge of state.graph.edges) {
    const key = edgeKey(edge)
    const [from, to] = [edge.source.cell, edge.target.cell]
    // A graph that is edited by hand may refer to nodes that do not exist yet.
    const source = cards.get(from)
    if (!source || !cards.has(to)) continue
    const target = marks.get(to)?.status
    const branch = edge.data?.case
    const port = portOf(source.shape, branch)
    // An error edge is taken by a node that failed.
    const came = branch === errorBranch && port?.isError ? 'failed' : 'succeeded'
    wires.set(key, {
      key,
      from,
      to,
      branch,
      fromY: port?.y ?? 0,
      label: branch === undefined || port?.branch === branch ? '' : branch,
      isSelected: state.selection.edges.has(key),
      isLive: marks.get(from)?.status === came && target !== undefined && target !== 'skipped',
    })
  }
  return [...wires.values()]
}

const oneLine = (text: string): string =>
  text
    .replace(/\{\{#([^#{}]+)#\}\}/g, '{$1}')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 120)

function shown(value: unknown): string {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return ''
  return value
    .map(item =>
      typeof item === 'object' && item !== null ? named(item as Record<string, unknown>) : shown(item),
    )
    .filter(Boolean)
    .join(' · ')
}

const named = (item: Record<string, unknown>): string => shown(item['name'] ?? item['id'] ?? item['type'])

/** The most telling setting of a node: the first required one, or the first that is set. */
function mainSetting(data: NodeData, kind: KindRecord | undefined): string {
  if (!kind) return ''
  const fields = [...kind.fields].sort((one, other) => Number(other.required) - Number(one.required))
  for (const { name } of fields) {
    const text = shown(data[name])
    if (text !== '') return text
  }
  return ''
}

/** Positions of all drawn nodes, including those without a stored position. */
export function usePlacedNodes(): Positions {
  const { graph, positions } = useEditorState()
  return useMemo(() => placedAll(graph, positions), [graph, positions])
}

const useKindsByName = (kinds: KindsData): ReadonlyMap<string, KindRecord> =>
  useMemo(() => new Map(kinds.kinds.map(kind => [kind.kind, kind])), [kinds])

/** The current scene. */
export function useScene(positions: Positions): Scene {
  const { graph, selection, shapes } = useEditorState()
  const { kinds, checks, marks } = useWorkflowEditor()
  const byName = useKindsByName(kinds)
  const language = useLanguage()
  const words = useCanvasWords()
  const { findings, outline } = checks
  return useMemo(
    () =>
      makeScene({
        state: { graph, selection, shapes },
        positions,
        kinds: byName,
        checks: { findings, outline },
        marks,
        language,
        words,
      }),
    [graph, selection, shapes, positions, byName, findings, outline, marks, language, words],
  )
}

/** The positions of all nodes, including those without a stored one. */
function placedAll(graph: Graph, known: Positions): Positions {
  if (graph.nodes.every(({ id }) => Object.hasOwn(known, id))) return known
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  return layOut(graph, known, sizesOf(graph), id => branchesOf(nodes.get(id), {}))
}

/**
 * Nodes without a position are laid out for display only; the first edit stores these positions, otherwise
 * they would jump with every edit. Returns a function that stops this.
 */
export function keepPlaces(store: EditorStore): () => void {
  let seen = store.state()
  let shown = placedAll(seen.graph, seen.positions)
  return store.subscribe(() => {
    const { graph, positions } = store.state()
    if (graph === seen.graph && positions === seen.positions) return
    const isEdited = graph !== seen.graph
    seen = store.state()
    const unplaced = graph.nodes.filter(({ id }) => !Object.hasOwn(positions, id) && Object.hasOwn(shown, id))
    if (isEdited && unplaced.length > 0) {
      const places = unplaced.map(({ id }) => [id, shown[id]!] as const)
      // This change notifies the listener again, with nothing left to place.
      store.edit({ type: 'nodes.move', positions: Object.fromEntries(places) }, { silent: true })
    } else shown = placedAll(graph, positions)
  })
}
