import { Input, InputNumber } from 'antd'
import { useId } from 'react'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    advanced: 'Advanced',
    inputs: 'Additional inputs (JSON)',
    about: 'A JSON object. Nodes read its fields from sys.inputs.',
    wrong: 'Not a valid JSON object. Example: {"city": "Berlin"}',
    version: 'Version',
    newest: 'newest',
  },
  {
    advanced: '高级',
    inputs: '更多输入（JSON）',
    about: '一个 JSON 对象；节点可从 sys.inputs 读取各字段。',
    wrong: '不是有效的 JSON 对象。例如：{"city": "北京"}',
    version: '版本',
    newest: '最新',
  },
)

interface AdvancedInputsProps {
  json: string
  onJson(json: string): void
  isWrong: boolean
  /** Null: the newest. */
  version: number | null
  onVersion(version: number | null): void
}

/** What most runs do not need: further inputs, and an old version. */
export function AdvancedInputs({ json, onJson, isWrong, version, onVersion }: AdvancedInputsProps) {
  const words = useWords()
  const { saving, mayWrite } = useWorkflowEditor()
  const id = useId()
  return (
    <details className="run-advanced">
      <summary>{words.advanced}</summary>
      <label htmlFor={`${id}-inputs`}>{words.inputs}</label>
      <Input.TextArea
        id={`${id}-inputs`}
        className="run-json"
        value={json}
        onChange={event => onJson(event.target.value)}
        autoSize={{ minRows: 2, maxRows: 10 }}
        spellCheck={false}
        disabled={!mayWrite}
        {...(isWrong && { status: 'error' })}
        aria-invalid={isWrong}
        aria-describedby={`${id}-about`}
      />
      <span id={`${id}-about`} className={isWrong ? 'small run-wrong' : 'small soft'}>
        {isWrong ? words.wrong : words.about}
      </span>
      <label htmlFor={`${id}-version`}>{words.version}</label>
      <InputNumber
        id={`${id}-version`}
        min={1}
        max={saving.version}
        precision={0}
        value={version}
        onChange={onVersion}
        placeholder={words.newest}
        disabled={!mayWrite}
      />
    </details>
  )
}
