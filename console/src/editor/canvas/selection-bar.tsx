import { ApartmentOutlined, BlockOutlined, CopyOutlined, DeleteOutlined } from '@ant-design/icons'
import { App, Button, Form, Select } from 'antd'
import { type KeyboardEvent, useState } from 'react'
import { copyToClipboard } from '../../ui/copy-text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { connectionProblem } from '../model/connect.ts'
import { edgeKey, type Graph, type GraphEdge } from '../model/graph.ts'
import { branchesOf } from '../panels/case-edits.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { Act } from './act.tsx'
import { AlignButton } from './align-menu.tsx'
import { useCanvasWords } from './canvas-words.ts'
import { type Commands, freeCase } from './commands.ts'
import { ShapeActs } from './shape-acts.tsx'

interface SelectionBarProps {
  commands: Commands
  onConnect(from: string): void
  /** Edits the text of a note, or the name of a group. */
  onEditShape(id: string): void
  /** Called when the selected item was removed, and this bar with it. */
  onRemoved(): void
}

/** Actions for the selection, for pointer users. */
export function SelectionBar({ commands, onConnect, onEditShape, onRemoved }: SelectionBarProps) {
  const words = useCanvasWords()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const { selection, graph, shapes } = useEditorState()
  const { mayWrite } = useWorkflowEditor()
  const [nodes, edges] = [selection.nodes.size, selection.edges.size]
  const groups = [...selection.shapes].filter(id => shapes[id]?.type === 'group').length
  const notes = selection.shapes.size - groups
  if (nodes + edges + notes + groups === 0 || !mayWrite) return null
  const [only] = nodes === 1 && edges + notes + groups === 0 ? selection.nodes : []
  const wire =
    nodes === 0 && edges === 1 ? graph.edges.find(edge => selection.edges.has(edgeKey(edge))) : undefined
  const copy = async (): Promise<void> => {
    const text = commands.copied()
    if (text === undefined) return
    await copyToClipboard(text).then(() => message.success(words.copied), showFailure)
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
          {[
            nodes > 0 && words.nodes(nodes),
            edges > 0 && words.edges(edges),
            notes > 0 && words.notes(notes),
            groups > 0 && words.groups(groups),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      )}
      {only !== undefined && (
        <Button
          type="text"
          size="small"
          icon={<ApartmentOutlined aria-hidden />}
          onClick={() => onConnect(only)}
        >
          {words.connect}
        </Button>
      )}
      <ShapeActs commands={commands} onEdit={onEditShape} />
      {nodes + notes > 1 && <AlignButton count={nodes + notes} commands={commands} />}
      {nodes + notes + groups > 0 && (
        <>
          <Act title={words.copy} icon={<CopyOutlined />} onClick={copy} />
          <Act title={words.duplicateNodes} icon={<BlockOutlined />} onClick={commands.duplicate} />
        </>
      )}
      <Act
        title={groups > 0 ? words.removeGroup : words.remove}
        icon={<DeleteOutlined />}
        onClick={remove}
        danger
      />
    </div>
  )
}

function WireBranch({ wire }: { wire: GraphEdge }) {
  const words = useCanvasWords()
  const { store, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const titleOf = (id: string): string => graph.nodes.find(node => node.id === id)?.data.title || id
  const cases = branchesOf(
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

const titleIn = (graph: Graph, id: string): string =>
  graph.nodes.find(node => node.id === id)?.data.title || id

interface ConnectDialogProps {
  from: string
  commands: Commands
  onClose(): void
}

/** Draws an edge without a pointer. */
export function ConnectDialog({ from, commands, onClose }: ConnectDialogProps) {
  const words = useCanvasWords()
  const { graph } = useEditorState()
  const { store, checks } = useWorkflowEditor()
  const cases = branchesOf(
    graph.nodes.find(({ id }) => id === from),
    checks.outline,
  )
  const [branch, setBranch] = useState(() => freeCase(store, checks, from) ?? '')
  const [target, setTarget] = useState<string>()
  const chosen = branch === '' ? undefined : branch
  const taken = new Set(graph.edges.filter(edge => edge.source.cell === from).map(edge => edge.data?.case))
  const targets = graph.nodes.filter(
    ({ id }) => id !== from && connectionProblem(graph, from, id, chosen) === undefined,
  )
  const isPossible = target !== undefined && targets.some(({ id }) => id === target)
  const connect = (): void => {
    if (!isPossible) return
    commands.connect(from, target, chosen)
    onClose()
  }
  /** Enter confirms; in an open list it chooses an item, and in an empty field it opens the list. */
  const press = (event: KeyboardEvent): void => {
    const field = event.target as HTMLElement
    if (event.key !== 'Enter' || !isPossible || field.getAttribute('aria-expanded') === 'true') return
    event.preventDefault()
    event.stopPropagation()
    connect()
  }
  return (
    <Dialog
      open
      width={420}
      title={words.connectTitle(titleIn(graph, from))}
      okText={words.connectOk}
      okButtonProps={{ disabled: !isPossible }}
      onOk={connect}
      onCancel={onClose}
    >
      <Form layout="vertical" onKeyDownCapture={press}>
        <Form.Item label={words.connectTo}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            autoFocus
            aria-label={words.connectTo}
            notFoundContent={words.nowhere}
            {...(target !== undefined && { value: target })}
            options={targets.map(({ id }) => ({ value: id, label: titleIn(graph, id) }))}
            onChange={setTarget}
          />
        </Form.Item>
        {cases.length > 0 && (
          <Form.Item label={words.branch}>
            <Select
              aria-label={words.branch}
              value={branch}
              options={[
                ...cases.map(value => ({
                  value,
                  label: taken.has(value) ? `${value} (${words.taken})` : value,
                })),
                { value: '', label: words.everyCase },
              ]}
              onChange={setBranch}
            />
          </Form.Item>
        )}
      </Form>
    </Dialog>
  )
}
