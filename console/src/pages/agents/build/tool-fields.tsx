import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input, Segmented, Switch, Tag } from 'antd'
import { useId, useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { submitOnEnter } from '../../../ui/submit-on-enter.ts'
import { Field } from '../../../ui/tools/field.tsx'
import {
  type FieldProblem,
  invalidProps,
  ProblemLine,
  useFocusProblem,
} from '../../../ui/tools/field-problem.tsx'
import { ToolFormFields } from '../../../ui/tools/tool-form-fields.tsx'
import {
  readSettings,
  type ToolDraft,
  type ToolForm,
  type ToolProblem,
  toolFormOf,
  toolOf,
  toolProblem,
  unreadable,
} from '../../../ui/tools/tool-settings.ts'
import { TryTool } from '../../../ui/tools/try-tool.tsx'
import { useTools } from '../../../ui/tools/use-tools.ts'
import { defineWords } from '../../../ui/words.ts'
import { FieldGroup, type PartProps } from './field.tsx'
import { UsedField } from './used-field.tsx'

const useWords = defineWords(
  {
    title: 'Tools',
    about: 'Tools the model can call while it answers. It chooses by their names and descriptions.',
    web: 'Web search',
    webHelp: 'Returns titles, URLs and excerpts. Requires a search provider in the server settings.',
    add: 'Add a tool',
    edit: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Remove ${name}`,
    untyped: 'no type',
  },
  {
    title: '工具',
    about: '模型回答时可以调用的工具，它根据名称和说明来选择。',
    web: '联网搜索',
    webHelp: '返回标题、网址和摘要，需要在服务器设置中配置搜索服务。',
    add: '添加工具',
    edit: (name: string) => `编辑 ${name}`,
    remove: (name: string) => `移除 ${name}`,
    untyped: '未指定类型',
  },
)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The tool that is being edited: one of the list by its index, or a new one. */
type Editing = { at: number; tool: ToolDraft | undefined } | undefined

export function ToolFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  const { tools } = draft
  const [editing, setEditing] = useState<Editing>()
  const keep = (tool: ToolDraft): void => {
    if (editing) edit({ tools: editing.tool ? tools.with(editing.at, tool) : [...tools, tool] })
    setEditing(undefined)
  }
  const { data: shared } = useTools({ enabled: tools.some(tool => tool.running['type'] === 'tool') })
  const nameOfShared = ({ type, id }: ToolDraft['running']): string =>
    type === 'tool' ? (shared?.find(tool => tool.id === id)?.name ?? textOf(id)) : ''
  const taken = tools.filter((_, at) => at !== editing?.at).map(({ name }) => name)
  return (
    <FieldGroup title={words.title} about={words.about}>
      <div className="tool-row">
        <Switch
          aria-label={words.web}
          disabled={isDisabled}
          checked={draft.searchesWeb}
          onChange={searchesWeb => edit({ searchesWeb })}
        />
        <span className="tool-about">
          {words.web}
          <span className="soft small">{words.webHelp}</span>
        </span>
      </div>
      {tools.map((tool, at) => (
        <div key={tool.name} className="tool-row">
          <Tag>{textOf(tool.running['type']) || words.untyped}</Tag>
          <span className="tool-about">
            {tool.name}
            <span className="soft small">
              {textOf(tool.running['description']) ||
                textOf(tool.running['url']) ||
                nameOfShared(tool.running)}
            </span>
          </span>
          <Button
            type="text"
            icon={<EditOutlined />}
            disabled={isDisabled}
            aria-label={words.edit(tool.name)}
            onClick={() => setEditing({ at, tool })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined />}
            disabled={isDisabled}
            aria-label={words.remove(tool.name)}
            onClick={() => edit({ tools: tools.filter((_, other) => other !== at) })}
          />
        </div>
      ))}
      <div>
        <Button
          type="dashed"
          icon={<PlusOutlined aria-hidden />}
          disabled={isDisabled || tools.length >= 50}
          onClick={() => setEditing({ at: tools.length, tool: undefined })}
        >
          {words.add}
        </Button>
      </div>
      {editing && (
        <ToolDialog tool={editing.tool} taken={taken} onKeep={keep} onCancel={() => setEditing(undefined)} />
      )}
    </FieldGroup>
  )
}

const useToolDialogWords = defineWords(
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
    oauth: 'OAuth needs the client ID, the client secret and the issuer.',
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
    oauth: 'OAuth 需要客户端 ID、客户端密钥和颁发者。',
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
  oauth: 'oauth',
  parameters: 'parameters',
} as const

/** JSON may have a type without a form: then only the name is validated here. */
function validationProblem(
  form: ToolForm,
  isJson: boolean,
  taken: readonly string[],
): ToolProblem | undefined {
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

/** One tool, as form fields or as JSON. */
function ToolDialog({ tool, taken, onKeep, onCancel }: ToolDialogProps) {
  const words = useToolDialogWords()
  const [form, setForm] = useState<ToolForm>(() => toolFormOf(tool))
  const [json, setJson] = useState<string>()
  const [problem, setProblem] = useState<FieldProblem>()
  const fields = useFocusProblem(problem)
  const jsonProblemId = useId()
  const textAt = (field: FieldProblem['field']) => (problem?.field === field ? problem.text : undefined)
  const edit = (change: Partial<ToolForm>): void => {
    setForm({ ...form, ...change })
    setProblem(undefined)
  }
  const report = (found: ToolProblem | undefined): void =>
    setProblem(
      found
        ? { field: found === 'taken' ? 'name' : found, text: words[problemWord[found]] }
        : { field: 'json', text: words.badJson },
    )

  const show = (view: string): void => {
    const lost = view === 'json' ? unreadable(form) : undefined
    const running = json === undefined ? undefined : readSettings(json)
    if (lost || (view === 'form' && !running)) {
      report(lost)
      return
    }
    setProblem(undefined)
    if (view === 'json') setJson(JSON.stringify(toolOf(form, tool, true).running, null, 2))
    else if (running) {
      setForm(toolFormOf({ name: form.name, running }))
      setJson(undefined)
    }
  }
  const keep = (): void => {
    const running = json === undefined ? toolOf(form, tool).running : readSettings(json)
    const found = running && validationProblem(form, json !== undefined, taken)
    if (running && !found) onKeep({ ...toolOf(form, tool), running })
    else report(found)
  }
  return (
    <Dialog
      open
      title={tool ? words.edit : words.add}
      okText={words.keep}
      cancelText={words.cancel}
      onOk={keep}
      onCancel={onCancel}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields in it */}
      <div className="tool-dialog dialog-fields" ref={fields} onKeyDown={submitOnEnter(keep)}>
        <Field label={words.name} help={words.nameHelp} problem={textAt('name')}>
          {(id, invalid) => (
            <Input
              id={id}
              {...invalid}
              autoFocus
              maxLength={64}
              value={form.name}
              onChange={event => edit({ name: event.target.value })}
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
          <>
            <ToolFormFields
              {...{ form, edit, problem }}
              chooser={<UsedField form={form} problem={textAt('id')} edit={edit} />}
            />
            <TryTool form={form} />
          </>
        ) : (
          <div className="agent-field">
            <Input.TextArea
              className="code-input"
              rows={12}
              aria-label={words.settings}
              {...invalidProps(jsonProblemId, textAt('json') !== undefined)}
              value={json}
              onChange={event => {
                setJson(event.target.value)
                setProblem(undefined)
              }}
            />
            <ProblemLine id={jsonProblemId} text={textAt('json')} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
