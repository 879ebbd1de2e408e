import { useQuery } from '@tanstack/react-query'
import { Alert, AutoComplete } from 'antd'
import { call } from '../../../api/call.ts'
import { pathTo } from '../../../ui/router.ts'
import { Field } from '../../../ui/tools/field.tsx'
import { defineWords } from '../../../ui/words.ts'
import { FieldGroup, type PartProps, TextField } from './field.tsx'
import { usePersonaReferences } from './use-persona-references.ts'
import { WorkflowSelect } from './workflow-select.tsx'

const useWords = defineWords(
  {
    title: 'How it answers',
    workflow: 'Workflow',
    none: 'None: answer with a model and a persona',
    workflowHelp: 'If a workflow is selected, every message runs it, and its output is the answer.',
    edit: 'Open the workflow',
    bound:
      'The workflow answers. The persona, model, knowledge and tools below are not used while a workflow is selected.',
    profile: 'Persona',
    profileHelp:
      'Who the agent is, what it knows, its tone, and what it must not do. If empty, the name and description are used. Type {{# to insert a value, such as one from its memory.',
    profileExample: 'You are the butler of the house. Be brief and polite.',
    model: 'Model',
    modelHelp: 'Choose a model of this workspace, or type a model name. If empty, the default model is used.',
    modelNone: 'Default model',
    ofServer: 'server settings',
    isDefault: 'default',
  },
  {
    title: '回答方式',
    workflow: '工作流',
    none: '无：由模型按角色设定回答',
    workflowHelp: '选择工作流后，每条消息都会运行它，它的输出就是回答。',
    edit: '打开工作流',
    bound: '由工作流回答。选择工作流期间，下面的角色设定、模型、知识和工具不会生效。',
    profile: '角色设定',
    profileHelp:
      '它是谁、知道什么、用什么语气、不能做什么。留空时使用名称和简介。输入 {{# 可插入变量，例如记忆中的值。',
    profileExample: '你是家里的管家，回答简短而有礼貌。',
    model: '模型',
    modelHelp: '选择工作空间里的模型，或直接输入名称。留空则使用默认模型。',
    modelNone: '默认模型',
    ofServer: '服务器设置',
    isDefault: '默认',
  },
)

export function PersonaFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  const references = usePersonaReferences(draft.memory)
  const isBound = draft.workflowId !== ''
  return (
    <FieldGroup title={words.title}>
      <div className="agent-field">
        <span className="agent-field-label">{words.workflow}</span>
        <WorkflowSelect
          value={draft.workflowId}
          onChange={workflowId => edit({ workflowId })}
          label={words.workflow}
          placeholder={words.none}
          isDisabled={isDisabled}
        />
        <p className="soft small">
          {words.workflowHelp} {isBound && <a href={pathTo('workflows', draft.workflowId)}>{words.edit}</a>}
        </p>
      </div>
      {isBound && <Alert type="info" showIcon title={words.bound} />}
      <TextField
        label={words.profile}
        help={words.profileHelp}
        text={draft.profile}
        onText={profile => edit({ profile })}
        references={references}
        isReadOnly={isDisabled}
        maxLength={50_000}
        placeholder={words.profileExample}
      />
      <ModelField value={draft.model} onChange={model => edit({ model })} isDisabled={isDisabled} />
    </FieldGroup>
  )
}

interface ModelFieldProps {
  value: string
  onChange: (model: string) => void
  isDisabled: boolean
}

function ModelField({ value, onChange, isDisabled }: ModelFieldProps) {
  const words = useWords()
  const { data } = useQuery({
    queryKey: ['model-choices'],
    queryFn: async ({ signal }) =>
      (await call('POST /api/v1/model/list', { body: { page_size: 100, type: 'chat' }, signal })).items,
    staleTime: 30_000,
  })
  const options = (data ?? []).map(({ name, source, is_default }) => {
    const notes = [
      ...(source === 'environment' ? [words.ofServer] : []),
      ...(is_default ? [words.isDefault] : []),
    ]
    return { value: name, label: notes.length > 0 ? `${name} (${notes.join(', ')})` : name }
  })
  return (
    <Field label={words.model} help={words.modelHelp}>
      {id => (
        <AutoComplete
          id={id}
          allowClear
          className="wide-field"
          disabled={isDisabled}
          placeholder={words.modelNone}
          options={options}
          value={value}
          onChange={(next: string | undefined) => onChange(next ?? '')}
        />
      )}
    </Field>
  )
}
