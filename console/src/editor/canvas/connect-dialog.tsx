import { Form, Modal, Select } from 'antd'
import { useState } from 'react'
import { knownCases } from '../known-cases.ts'
import { connectionProblem } from '../model/connect.ts'
import type { Graph } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import { type Commands, freeCase } from './commands.ts'

const titleIn = (graph: Graph, id: string): string =>
  graph.nodes.find(node => node.id === id)?.data.title || id

interface ConnectDialogProps {
  from: string
  /** Already chosen, where an edge was drawn and only its case is open. */
  to?: string
  commands: Commands
  onClose(): void
}

/** Draws an edge without a pointer, and asks for its case where the source branches. */
export function ConnectDialog({ from, to, commands, onClose }: ConnectDialogProps) {
  const words = useCanvasWords()
  const { graph } = useEditorState()
  const { store, checks } = useWorkflowEditor()
  const cases = knownCases(
    graph.nodes.find(({ id }) => id === from),
    checks.outline,
  )
  const [branch, setBranch] = useState(() => freeCase(store, checks, from) ?? '')
  const [target, setTarget] = useState(to)
  const chosen = branch === '' ? undefined : branch
  const taken = new Set(graph.edges.filter(edge => edge.source.cell === from).map(edge => edge.data?.case))
  const targets = graph.nodes.filter(
    ({ id }) => id !== from && connectionProblem(graph, from, id, chosen) === undefined,
  )
  const isPossible = target !== undefined && targets.some(({ id }) => id === target)
  return (
    <Modal
      open
      width={420}
      title={to === undefined ? words.connectTitle(titleIn(graph, from)) : words.chooseCase}
      okText={words.connectOk}
      okButtonProps={{ disabled: !isPossible }}
      onOk={() => {
        commands.connect(from, target!, chosen)
        onClose()
      }}
      onCancel={onClose}
    >
      <Form layout="vertical">
        {to === undefined && (
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
        )}
        {cases.length > 0 && (
          <Form.Item label={words.branch}>
            <Select
              aria-label={words.branch}
              autoFocus={to !== undefined}
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
    </Modal>
  )
}
