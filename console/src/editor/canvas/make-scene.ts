import type { EditorState } from '../model/editor-store.ts'
import { edgeKey, type GraphNode, type Positions } from '../model/graph.ts'
import type { Checks, KindRecord, NodeMark } from '../workflow-editor.ts'
import { mainSetting } from './main-setting.ts'
import type { Card, Scene, Wire } from './scene.ts'

export interface SceneSource {
  state: Pick<EditorState, 'graph' | 'selection'>
  /** Of every node. */
  positions: Positions
  kinds: ReadonlyMap<string, KindRecord>
  checks: Pick<Checks, 'findings' | 'outline'>
  marks: ReadonlyMap<string, NodeMark>
  language: 'en' | 'zh'
  words: SceneWords
}

export interface SceneWords {
  mark: (mark: NodeMark) => string
  findings: (count: number) => string
  label: (title: string, kind: string, more: string[]) => string
}

interface Found {
  count: number
  severity: 'error' | 'warning'
}

/** Everything that the canvas shows, from everything that is known. */
export function makeScene(source: SceneSource): Scene {
  const found = findingsByNode(source.checks)
  const seen = new Set<string>()
  const cards: Card[] = []
  for (const node of source.state.graph.nodes) {
    if (seen.has(node.id)) continue
    seen.add(node.id)
    cards.push(makeCard(node, source, found.get(node.id)))
  }
  return { cards, wires: makeWires(source, seen) }
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

function makeCard(node: GraphNode, source: SceneSource, found: Found | undefined): Card {
  const { positions, kinds, checks, marks, language, words, state } = source
  const kindName = node.data.type ?? ''
  const kind = kinds.get(kindName)
  const kindTitle = kind?.title[language] ?? kindName
  const title = node.data.title || kindTitle || node.id
  const mark = marks.get(node.id)
  const markText = mark ? words.mark(mark) : ''
  const { x, y } = positions[node.id] ?? { x: 0, y: 0 }
  return {
    id: node.id,
    x,
    y,
    title,
    kindTitle,
    detail: checks.outline[node.id]?.cases?.join(' · ') || mainSetting(node.data, kind),
    kind: kindName,
    group: kind?.group ?? 'unknown',
    severity: found?.severity,
    findings: found?.count ?? 0,
    mark: mark?.status,
    markText,
    isSelected: state.selection.nodes.has(node.id),
    label: words.label(title, kindTitle, [
      ...(found ? [words.findings(found.count)] : []),
      ...(mark ? [markText] : []),
    ]),
    hasIn: kindName !== 'input',
    hasOut: kindName !== 'end',
  }
}

function makeWires({ state, marks }: SceneSource, cards: ReadonlySet<string>): Wire[] {
  const wires = new Map<string, Wire>()
  for (const edge of state.graph.edges) {
    const key = edgeKey(edge)
    const [from, to] = [edge.source.cell, edge.target.cell]
    // A graph that is still being written by hand may name nodes that are not there yet.
    if (!cards.has(from) || !cards.has(to)) continue
    const target = marks.get(to)?.status
    wires.set(key, {
      key,
      from,
      to,
      label: edge.data?.case ?? '',
      isSelected: state.selection.edges.has(key),
      isLive: marks.get(from)?.status === 'succeeded' && target !== undefined && target !== 'skipped',
    })
  }
  return [...wires.values()]
}
