import { CaretRightFilled } from '@ant-design/icons'
import { Button, Input, Segmented } from 'antd'
import { useId } from 'react'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { variablesIn } from '../../ui/variables/variable-entry.ts'
import { defineWords } from '../../ui/words.ts'
import type { GraphNode } from '../model/graph.ts'
import { useNodeTitle } from '../panels/use-node-title.ts'
import { useEditorState } from '../workflow-editor.ts'
import type { NeededValue } from './needed-values.ts'
import { StopButton } from './stop-button.tsx'
import { isBusy, type WatchedRun } from './use-run.ts'
import { type TrialField, type useKeptValues, useTrial } from './use-trial.ts'

const useWords = defineWords(
  {
    title: (node: string) => `Run only “${node}”`,
    about: 'Other nodes do not run; these values are used in place of their outputs.',
    run: 'Run this node',
    cancel: 'Cancel',
    query: 'Question',
    text: 'Text',
    json: 'JSON',
    as: (name: string) => `Type of ${name}`,
    wrong: 'Invalid JSON',
  },
  {
    title: (node: string) => `只运行“${node}”`,
    about: '其他节点不会运行，以下值代替它们的输出。',
    run: '运行这个节点',
    cancel: '取消',
    query: '问题',
    text: '文本',
    json: 'JSON',
    as: (name: string) => `${name} 的类型`,
    wrong: 'JSON 无效',
  },
)

interface RunOneNodeProps {
  node: GraphNode
  run: WatchedRun
  values: ReturnType<typeof useKeptValues>
  onCancel(): void
}

/** A form for the values that a node refers to, filled in from the last run, and a run of this node alone. */
export function RunOneNode({ node, run, values, onCancel }: RunOneNodeProps) {
  const words = useWords()
  const trial = useTrial(node, run, values)
  const title = words.title(node.data.title || node.id)
  // The button that opens this form is hidden until it is closed.
  useReturnFocus(document.activeElement)
  return (
    <form
      className="run-ask"
      aria-label={title}
      onSubmit={event => {
        event.preventDefault()
        if (!trial.isReady || isBusy(run)) return
        // The button is replaced.
        event.currentTarget.querySelector('textarea')?.focus()
        trial.start()
      }}
    >
      <h3>{title}</h3>
      <p className="soft small">{words.about}</p>
      {trial.fields.map((field, index) => (
        <TrialInput
          key={field.key}
          field={field}
          isFirst={index === 0}
          onChange={value => trial.change(field.key, value)}
        />
      ))}
      <div className="run-buttons">
        <Button type="text" onClick={onCancel}>
          {words.cancel}
        </Button>
        <span className="run-buttons-rest" />
        {isBusy(run) ? (
          <StopButton run={run} />
        ) : (
          <Button
            type="primary"
            htmlType="submit"
            icon={<CaretRightFilled aria-hidden />}
            disabled={!trial.isReady}
          >
            {words.run}
          </Button>
        )}
      </div>
    </form>
  )
}

interface TrialInputProps {
  field: TrialField
  isFirst: boolean
  onChange(value: { text: string; isJson: boolean }): void
}

function TrialInput({ field, isFirst, onChange }: TrialInputProps) {
  const words = useWords()
  const id = useId()
  const { needed, text, isJson, isWrong } = field
  const name = useName(needed)
  return (
    <div className="trial-field">
      <div className="trial-label">
        <label
          htmlFor={id}
          title={needed.from === 'node' ? `${needed.nodeId}.${needed.name}` : `sys.inputs.${needed.name}`}
        >
          {name}
        </label>
        <Segmented
          size="small"
          aria-label={words.as(name)}
          value={isJson ? 'json' : 'text'}
          options={[
            { value: 'text', label: words.text },
            { value: 'json', label: words.json },
          ]}
          onChange={value => onChange({ text, isJson: value === 'json' })}
        />
      </div>
      <Input.TextArea
        id={id}
        autoFocus={isFirst}
        value={text}
        {...(isJson && { className: 'run-json', spellCheck: false })}
        {...(isWrong && { status: 'error' })}
        aria-invalid={isWrong}
        autoSize={{ minRows: 1, maxRows: 8 }}
        onChange={event => onChange({ text: event.target.value, isJson })}
      />
      {isWrong && <span className="small run-wrong">{words.wrong}</span>}
    </div>
  )
}

/** A value by the names that its node and its variable have on the canvas. */
function useName({ from, nodeId, name }: NeededValue): string {
  const words = useWords()
  const { graph } = useEditorState()
  const titleOf = useNodeTitle()
  if (from === 'node') {
    const node = graph.nodes.find(({ id }) => id === nodeId)
    return `${node ? titleOf(node) : nodeId} · ${name}`
  }
  const variables = graph.nodes.flatMap(({ data }) => (data.type === 'input' ? variablesIn(data) : []))
  const declared = variables.find(each => each.name === name)
  return declared?.label ?? (name === 'query' ? words.query : name)
}
