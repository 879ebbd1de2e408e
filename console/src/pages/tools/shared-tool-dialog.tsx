import { useMutation } from '@tanstack/react-query'
import { Alert, App, Input } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { submitOnEnter } from '../../ui/submit-on-enter.ts'
import { Field } from '../../ui/tools/field.tsx'
import { ToolFormFields } from '../../ui/tools/tool-form-fields.tsx'
import {
  type ToolForm,
  type ToolProblem,
  toolFormOf,
  toolOf,
  toolProblem,
} from '../../ui/tools/tool-settings.ts'
import { TryTool } from '../../ui/tools/try-tool.tsx'
import { type SharedTool, useRefreshTools } from '../../ui/tools/use-tools.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    add: 'Add a tool',
    edit: 'Edit tool',
    save: 'Save',
    cancel: 'Cancel',
    name: 'Name',
    nameHelp:
      'The name the model uses to call the tool: letters, digits, _ and -. Agents and workflows keep the tool when it is renamed.',
    saved: (name: string) => `${name} saved`,
    problem_name: 'Enter a name of letters, digits, _ and -.',
    problem_url: 'Enter a URL.',
    problem_headers: 'Each header needs a unique name.',
    problem_oauth: 'OAuth needs the client ID, the client secret and the issuer.',
    problem_parameters: 'The parameters must be a JSON object, such as {"item": "what to look for"}.',
  },
  {
    add: '添加工具',
    edit: '编辑工具',
    save: '保存',
    cancel: '取消',
    name: '名称',
    nameHelp: '模型调用时使用的名称：字母、数字、_ 和 -。改名后，智能体和工作流仍会使用它。',
    saved: (name: string) => `${name} 已保存`,
    problem_name: '请填写名称，只用字母、数字、_ 和 -。',
    problem_url: '请填写地址。',
    problem_headers: '每个请求头都需要一个不重复的名称。',
    problem_oauth: 'OAuth 需要客户端 ID、客户端密钥和颁发者。',
    problem_parameters: '参数必须是 JSON 对象，例如 {"item": "要查找的物品"}。',
  },
)

const sharedTypes = ['http', 'mcp'] as const

function formOf(tool: SharedTool | undefined): ToolForm {
  if (!tool) return toolFormOf(undefined)
  const { id: _, name, created_at: __, updated_at: ___, updated_by: ____, ...running } = tool
  const { parameters, ...others } = running
  const isOpen = Object.keys((parameters['properties'] ?? {}) as object).length === 0
  return toolFormOf({ name, running: isOpen ? others : running })
}

type Settings = Omit<CallInput<'POST /api/v1/tool/create'>['body'], 'type' | 'name'>

/** The fields of the operation; those without a form field stay as they are. */
function settingsOf(form: ToolForm) {
  const { type: _, ...running } = toolOf(form, undefined, true).running as Record<string, unknown>
  const cleared = {
    description: '',
    headers: {},
    oauth: null,
    tools: [],
    parameters: { type: 'object', properties: {} },
  }
  return { ...cleared, ...running, url: form.url.trim() } as Settings
}

interface SharedToolDialogProps {
  /** Without it, a tool is added. */
  tool: SharedTool | undefined
  onClose(): void
}

export function SharedToolDialog({ tool, onClose }: SharedToolDialogProps) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshTools()
  const [form, setForm] = useState<ToolForm>(() => formOf(tool))
  const [problem, setProblem] = useState<ToolProblem>()
  const edit = (change: Partial<ToolForm>) => setForm({ ...form, ...change })
  const save = useMutation({
    mutationFn: () => {
      const body = { name: form.name.trim(), ...settingsOf(form) }
      const type = form.type === 'mcp' ? 'mcp' : 'http'
      return tool
        ? call('POST /api/v1/tool/update', { body: { id: tool.id, ...body } })
        : call('POST /api/v1/tool/create', { body: { ...body, type } })
    },
    onSuccess: async saved => {
      await refresh()
      message.success(words.saved(saved.name))
      onClose()
    },
  })
  const submit = (): void => {
    const isNamed = /^[A-Za-z0-9_-]{1,64}$/.test(form.name.trim())
    const found = isNamed ? toolProblem(form, []) : 'name'
    setProblem(found)
    if (!found) save.mutate()
  }
  const wordOf = (found: ToolProblem): string =>
    words[`problem_${found === 'taken' || found === 'id' ? 'name' : found}`]
  return (
    <Dialog
      open
      title={tool ? words.edit : words.add}
      okText={words.save}
      cancelText={words.cancel}
      confirmLoading={save.isPending}
      onOk={submit}
      onCancel={onClose}
      width={640}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields in it */}
      <div className="tool-dialog dialog-fields" onKeyDown={submitOnEnter(submit)}>
        <Field label={words.name} help={words.nameHelp}>
          {id => (
            <Input
              id={id}
              autoFocus
              maxLength={64}
              spellCheck={false}
              value={form.name}
              onChange={event => edit({ name: event.target.value })}
            />
          )}
        </Field>
        <ToolFormFields form={form} edit={edit} types={tool ? [tool.type] : sharedTypes} />
        <TryTool form={form} />
        {problem !== undefined && <Alert type="error" showIcon role="alert" title={wordOf(problem)} />}
        {save.isError && <Failure error={save.error} />}
      </div>
    </Dialog>
  )
}
