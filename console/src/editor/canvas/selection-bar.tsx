import { ApartmentOutlined, BlockOutlined, CopyOutlined, DeleteOutlined } from '@ant-design/icons'
import { App, Button, Select, Tooltip } from 'antd'
import { copyToClipboard } from '../../ui/copy-to-clipboard.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { knownCases } from '../known-cases.ts'
import { edgeKey, type GraphEdge } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'

interface SelectionBarProps {
  commands: Commands
  onConnect(from: string): void
  /** What was selected is gone, and this bar with it. */
  onRemoved(): void
}

/** What can be done with what is selected, for whoever works with the pointer. */
export function SelectionBar({ commands, onConnect, onRemoved }: SelectionBarProps) {
  const words = useCanvasWords()
  const { message } = App.useApp()
  const tellFailure = useTellFailure()
  const { selection, graph } = useEditorState()
  const { mayWrite } = useWorkflowEditor()
  const [nodes, edges] = [selection.nodes.size, selection.edges.size]
  if (nodes + edges === 0 || !mayWrite) return null
  const [only] = nodes === 1 && edges === 0 ? selection.nodes : []
  const wire =
    nodes === 0 && edges === 1 ? graph.edges.find(edge => selection.edges.has(edgeKey(edge))) : undefined
  const copy = async (): Promise<void> => {
    const text = commands.copied()
    if (text === undefined) return
    await copyToClipboard(text).then(() => message.success(words.copied), tellFailure)
  }
  const remove = (): void => {
    commands.remove()
    onRemoved()
  }
  return (
    <div className="canvas-selection" role="toolbar" aria-label={words.selection}>
      {wire ? (
        <WireBranch wire={wire} />
      ) : (
        <span className="small soft">
          {[nodes > 0 && words.nodes(nodes), edges > 0 && words.edges(edges)].filter(Boolean).join(' · ')}
        </span>
      )}
      {only !== undefined && (
        <Button type="text" size="small" icon={<ApartmentOutlined />} onClick={() => onConnect(only)}>
          {words.connect}
        </Button>
      )}
      {nodes > 0 && (
        <>
          <Act title={words.copy} icon={<CopyOutlined />} onClick={copy} />
          <Act title={words.duplicateNodes} icon={<BlockOutlined />} onClick={commands.duplicate} />
        </>
      )}
      <Act title={words.remove} icon={<DeleteOutlined />} onClick={remove} danger />
    </div>
  )
}

interface ActProps {
  title: string
  icon: React.ReactNode
  danger?: boolean
  onClick(): void
}

function Act({ title, icon, danger = false, onClick }: ActProps) {
  return (
    <Tooltip title={title}>
      <Button type="text" size="small" danger={danger} icon={icon} aria-label={title} onClick={onClick} />
    </Tooltip>
  )
}

function WireBranch({ wire }: { wire: GraphEdge }) {
  const words = useCanvasWords()
  const { store, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const titleOf = (id: string): string => graph.nodes.find(node => node.id === id)?.data.title || id
  const cases = knownCases(
    graph.nodes.find(({ id }) => id === wire.source.cell),
    checks.outline,
  )
  const key = edgeKey(wire)
  const current = wire.data?.case
  const known = [...new Set([...cases, ...(current === undefined ? [] : [current])])]
  const choose = (chosen: string): void => {
    const branch = chosen === '' ? undefined : chosen
    store.edit({ type: 'edge.branch', key, branch })
    store.select([], [edgeKey({ ...wire, data: branch === undefined ? {} : { case: branch } })])
  }
  return (
    <>
      <span className="small soft" aria-live="polite">
        {words.wire(titleOf(wire.source.cell), titleOf(wire.target.cell))}
      </span>
      {known.length > 0 && (
        <Select
          size="small"
          aria-label={words.branch}
          value={current ?? ''}
          popupMatchSelectWidth={false}
          options={[...known.map(value => ({ value, label: value })), { value: '', label: words.everyCase }]}
          onChange={choose}
        />
      )}
    </>
  )
}
