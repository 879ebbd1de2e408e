import { Select } from 'antd'
import { useMemo } from 'react'
import { defineWords } from '../../ui/words.ts'
import { edgeKey, type GraphEdge, type GraphNode } from '../model/graph.ts'
import { NodeInRun } from '../runs/node-in-run.tsx'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { knownCases } from './case-edits.ts'
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
      <div className="node-panel">
        <EdgePanel edge={edge} />
      </div>
    )
  return <Hint title={words.none} text={words.noneHint} />
}

function Hint({ title, text }: { title: string; text: string }) {
  return (
    <div className="node-panel">
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
      <div className="node-panel" data-panel-of={node.id}>
        <NodeInRun nodeId={node.id} />
        <NodeHead node={node} kind={kind} />
        <KindForm node={node} kind={kind} />
      </div>
    </NodeFormContext>
  )
}

const useEdgePanelWords = defineWords(
  {
    title: 'Connection',
    about: (from: string, to: string) => `From ${from} to ${to}.`,
    branch: 'Branch',
    always: 'Any branch',
    none: 'Taken whenever the previous node has run.',
    branchAbout: 'Taken when the previous node chooses this branch.',
  },
  {
    title: '连线',
    about: (from: string, to: string) => `从 ${from} 到 ${to}。`,
    branch: '分支',
    always: '任意分支',
    none: '前面的节点运行后就会走这条连线。',
    branchAbout: '前面的节点选中此分支时，才走这条连线。',
  },
)

const always = ''

/** The selected edge: its ends and its branch. */
function EdgePanel({ edge }: { edge: GraphEdge }) {
  const words = useEdgePanelWords()
  const { store, mayWrite, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const nodeOf = (id: string) => graph.nodes.find(node => node.id === id)
  const titleOf = (id: string): string => nodeOf(id)?.data.title || id
  const source = nodeOf(edge.source.cell)
  const known = knownCases(source, checks.outline)
  const current = edge.data?.case
  const cases = [...new Set([...known, ...(current === undefined ? [] : [current])])]
  const keyWith = (branch: string): string => edgeKey({ ...edge, data: { ...edge.data, case: branch } })
  const taken = new Set(graph.edges.filter(other => other !== edge).map(edgeKey))
  return (
    <div className="fields">
      <div>
        <h2 className="panel-title">{words.title}</h2>
        <p className="soft small panel-about">
          {words.about(titleOf(edge.source.cell), titleOf(edge.target.cell))}
        </p>
      </div>
      {cases.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <div className="field">
          <label className="field-label" htmlFor="edge-case">
            {words.branch}
          </label>
          <Select
            id="edge-case"
            className="field-wide"
            disabled={!mayWrite}
            value={current ?? always}
            onChange={branch =>
              store.edit({
                type: 'edge.branch',
                key: edgeKey(edge),
                branch: branch === always ? undefined : branch,
              })
            }
            options={[always, ...cases.filter(each => each !== always)].map(branch => ({
              value: branch,
              label: branch === always ? words.always : branch,
              disabled: taken.has(keyWith(branch)),
            }))}
          />
          <p className="soft small hint">{words.branchAbout}</p>
        </div>
      )}
    </div>
  )
}
