import { useMutation } from '@tanstack/react-query'
import { App, Input } from 'antd'
import { useState } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, useFailureWords } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { explainRefusal } from '../../ui/server-texts/message-facts.ts'
import { submitOnEnter } from '../../ui/submit-on-enter.ts'
import { Field } from '../../ui/tools/field.tsx'
import { type FieldProblem, useFocusProblem } from '../../ui/tools/field-problem.tsx'
import { ToolFormFields } from '../../ui/tools/tool-form-fields.tsx'
import { type ToolForm, toolFormOf, toolOf, toolProblem } from '../../ui/tools/tool-settings.ts'
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

const refusable = ['name', 'url', 'headers', 'oauth', 'parameters'] as const

/** The first field that the server refused, if it has an input. */
function useRefusedField(): (error: Error) => FieldProblem | undefined {
  const language = useLanguage()
  const wordsOf = useFailureWords()
  return error => {
    if (!(error instanceof ApiFailure)) return undefined
    if (error.reason === 'already_exists') return { field: 'name', text: wordsOf(error).title }
    for (const { path, message } of error.errors) {
      const field = refusable.find(each => path.split('/')[1] === each)
      if (field) return { field, text: explainRefusal(language, message) }
    }
    return undefined
  }
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
  const [problem, setProblem] = useState<FieldProblem>()
  const refusedField = useRefusedField()
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
    onError: error => setProblem(refusedField(error)),
  })
  const fields = useFocusProblem(problem, save.error)
  const edit = (change: Partial<ToolForm>): void => {
    setForm({ ...form, ...change })
    setProblem(undefined)
    if (save.isError) save.reset()
  }
  const submit = (): void => {
    const isNamed = /^[A-Za-z0-9_-]{1,64}$/.test(form.name.trim())
    const found = isNamed ? toolProblem(form, []) : 'name'
    const field = found === 'taken' || found === 'id' ? 'name' : found
    setProblem(field && { field, text: words[`problem_${field}`] })
    if (!found) save.mutate()
  }
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
      <div className="tool-dialog dialog-fields" ref={fields} onKeyDown={submitOnEnter(submit)}>
        {save.isError && !problem && <Failure error={save.error} />}
        <Field
          label={words.name}
          help={words.nameHelp}
          problem={problem?.field === 'name' ? problem.text : undefined}
        >
          {(id, invalid) => (
            <Input
              id={id}
              {...invalid}
              autoFocus
              maxLength={64}
              spellCheck={false}
              value={form.name}
              onChange={event => edit({ name: event.target.value })}
            />
          )}
        </Field>
        <ToolFormFields {...{ form, edit, problem }} types={tool ? [tool.type] : sharedTypes} />
        <TryTool form={form} />
      </div>
    </Dialog>
  )
}
