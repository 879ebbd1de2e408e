import { Alert, Input, Modal, Segmented } from 'antd'
import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import type { ToolDraft } from './agent-draft.ts'
import { Field } from './field.tsx'
import { ToolFormFields } from './tool-form-fields.tsx'
import {
  readSettings,
  type ToolForm,
  type ToolProblem,
  toolFormOf,
  toolOf,
  toolProblem,
  unreadable,
} from './tool-settings.ts'

const useWords = defineWords(
  {
    add: 'Add a tool',
    edit: 'Edit tool',
    keep: 'Done',
    cancel: 'Cancel',
    view: 'Editing mode',
    form: 'Form',
    json: 'JSON',
    name: 'Name',
    nameHelp: 'The name the model uses to call the tool: letters, digits, _ and -.',
    settings: 'Settings as JSON (running_config)',
    noName: 'Enter a name.',
    taken: 'Another tool already has this name.',
    noUrl: 'Enter a URL.',
    noId: 'Make a selection.',
    headers: 'Each header needs a unique name.',
    parameters: 'The parameters must be a JSON object, such as {"item": "what to look for"}.',
    badJson: 'The settings must be a JSON object.',
  },
  {
    add: '添加工具',
    edit: '编辑工具',
    keep: '完成',
    cancel: '取消',
    view: '编辑方式',
    form: '表单',
    json: 'JSON',
    name: '名称',
    nameHelp: '模型调用时使用的名称：字母、数字、_ 和 -。',
    settings: 'JSON 设置（running_config）',
    noName: '请填写名称。',
    taken: '已有同名的工具。',
    noUrl: '请填写地址。',
    noId: '请选择。',
    headers: '每个请求头都需要一个不重复的名称。',
    parameters: '参数必须是 JSON 对象，例如 {"item": "要查找的物品"}。',
    badJson: '设置必须是 JSON 对象。',
  },
)

const problemWord = {
  name: 'noName',
  taken: 'taken',
  url: 'noUrl',
  id: 'noId',
  headers: 'headers',
  parameters: 'parameters',
} as const

/** What is written as JSON may be of a type that has no form: of that only the name is judged here. */
function keptProblem(form: ToolForm, isJson: boolean, taken: readonly string[]): ToolProblem | undefined {
  const found = toolProblem(form, taken)
  return isJson && found !== 'name' && found !== 'taken' ? undefined : found
}

interface ToolDialogProps {
  tool: ToolDraft | undefined
  /** Names of the other tools. */
  taken: readonly string[]
  onKeep: (tool: ToolDraft) => void
  onCancel: () => void
}

/** One tool, in fields or as the JSON that it is stored as. */
export function ToolDialog({ tool, taken, onKeep, onCancel }: ToolDialogProps) {
  const words = useWords()
  const [form, setForm] = useState<ToolForm>(() => toolFormOf(tool))
  const [json, setJson] = useState<string>()
  const [problem, setProblem] = useState<string>()

  const show = (view: string): void => {
    const lost = view === 'json' ? unreadable(form) : undefined
    const running = json === undefined ? undefined : readSettings(json)
    setProblem(lost ? words[problemWord[lost]] : view === 'form' && !running ? words.badJson : undefined)
    if (lost) return
    if (view === 'json') setJson(JSON.stringify(toolOf(form, tool, true).running, null, 2))
    else if (running) {
      setForm(toolFormOf({ name: form.name, running }))
      setJson(undefined)
    }
  }
  const keep = (): void => {
    const running = json === undefined ? toolOf(form, tool).running : readSettings(json)
    const found = running && keptProblem(form, json !== undefined, taken)
    if (running && !found) onKeep({ ...toolOf(form, tool), running })
    else setProblem(found ? words[problemWord[found]] : words.badJson)
  }
  return (
    <Modal
      open
      title={tool ? words.edit : words.add}
      okText={words.keep}
      cancelText={words.cancel}
      onOk={keep}
      onCancel={onCancel}
    >
      <div className="tool-dialog">
        <Field label={words.name} help={words.nameHelp}>
          {id => (
            <Input
              id={id}
              autoFocus
              maxLength={64}
              value={form.name}
              onChange={event => setForm({ ...form, name: event.target.value })}
            />
          )}
        </Field>
        <Segmented
          aria-label={words.view}
          value={json === undefined ? 'form' : 'json'}
          options={[
            { value: 'form', label: words.form },
            { value: 'json', label: words.json },
          ]}
          onChange={show}
        />
        {json === undefined ? (
          <ToolFormFields form={form} edit={change => setForm({ ...form, ...change })} />
        ) : (
          <Input.TextArea
            className="code-input"
            rows={12}
            aria-label={words.settings}
            value={json}
            onChange={event => setJson(event.target.value)}
          />
        )}
        {problem !== undefined && <Alert type="error" showIcon role="alert" title={problem} />}
      </div>
    </Modal>
  )
}
