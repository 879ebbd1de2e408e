import { useMemo } from 'react'
import { defineWords } from '../../ui/words.ts'
import { edgeKey, type GraphNode } from '../model/graph.ts'
import { NodeInRun } from '../runs/node-in-run.tsx'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { EdgePanel } from './edge-panel.tsx'
import { KindForm } from './kind-form.tsx'
import { type NodeForm, NodeFormContext, wholeNode } from './node-form.ts'
import { NodeHead } from './node-head.tsx'
import { placeInData } from './use-checks.ts'
import { useAskForUnfinishedTexts } from './use-draft.ts'
import './panels.css'

const useWords = defineWords(
  {
    none: 'Nothing selected',
    noneHint:
      'Select a node on the canvas to view and edit its settings. Select a connection that leaves a branching node to choose its branch.',
    several: (count: number) => `${count} nodes selected`,
    severalHint:
      'Move, copy, duplicate or delete them together on the canvas. Select a single node to edit its settings.',
    edges: (count: number) => `${count} connections selected`,
    edgesHint: 'Press Delete on the canvas to remove them. Select a single connection to choose its branch.',
  },
  {
    none: '未选中任何内容',
    noneHint: '在画布上选中一个节点，即可查看和修改它的设置；选中分支节点的连线，可以选择它属于哪个分支。',
    several: (count: number) => `已选中 ${count} 个节点`,
    severalHint: '可以在画布上一起移动、复制或删除。只选中一个节点时可修改它的设置。',
    edges: (count: number) => `已选中 ${count} 条连线`,
    edgesHint: '在画布上按 Delete 键可删除。只选中一条时可选择它的分支。',
  },
)

/** Settings of the selected node, generated from the schema of its kind. */
export function NodePanel() {
  const words = useWords()
  const { graph, selection } = useEditorState()
  useAskForUnfinishedTexts()
  const { nodes, edges } = selection
  if (nodes.size > 1) return <Hint title={words.several(nodes.size)} text={words.severalHint} />
  const [id] = nodes
  const node = id === undefined ? undefined : graph.nodes.find(each => each.id === id)
  if (node) return <OneNode node={node} key={node.id} />
  if (edges.size > 1) return <Hint title={words.edges(edges.size)} text={words.edgesHint} />
  const edge = edges.size === 1 ? graph.edges.find(each => edges.has(edgeKey(each))) : undefined
  if (edge)
    return (
      <div className="node-panel" tabIndex={-1}>
        <EdgePanel edge={edge} />
      </div>
    )
  return <Hint title={words.none} text={words.noneHint} />
}

/** Focuses the settings as a whole; Tab continues with their first field. */
export const focusSettings = (): void =>
  void requestAnimationFrame(() => document.querySelector<HTMLElement>('.node-panel')?.focus())

export const areSettings = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('.node-panel')

function Hint({ title, text }: { title: string; text: string }) {
  return (
    <div className="node-panel" tabIndex={-1}>
      <h2 className="panel-title">{title}</h2>
      <p className="soft">{text}</p>
    </div>
  )
}

function OneNode({ node }: { node: GraphNode }) {
  const { kinds, checks, mayWrite } = useWorkflowEditor()
  const kind = kinds.kinds.find(each => each.kind === node.data.type)
  const form: NodeForm = useMemo(() => {
    const known = new Set([...kinds.common, ...(kind?.fields ?? [])].map(({ name }) => name))
    const findings = checks.findings
      .filter(({ nodeId }) => nodeId === node.id)
      .map(finding => {
        const hasField = finding.field !== undefined && known.has(finding.field)
        return { ...finding, place: (hasField ? placeInData(finding) : undefined) ?? wholeNode }
      })
    return { nodeId: node.id, findings, isReadOnly: !mayWrite }
  }, [checks.findings, kinds, kind, node.id, mayWrite])
  return (
    <NodeFormContext value={form}>
      <div className="node-panel" tabIndex={-1} data-panel-of={node.id}>
        <NodeInRun nodeId={node.id} />
        <NodeHead node={node} kind={kind} />
        <KindForm node={node} kind={kind} />
      </div>
    </NodeFormContext>
  )
}
