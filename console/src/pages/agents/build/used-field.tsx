import type { ToolForm } from '../../../ui/tools/tool-settings.ts'
import { defineWords } from '../../../ui/words.ts'
import { KnowledgeSelect } from './knowledge-select.tsx'
import { SharedToolField } from './shared-tool-field.tsx'
import { WorkflowSelect } from './workflow-select.tsx'

const useWords = defineWords(
  {
    toolChoice: 'Shared tool',
    workflowChoice: 'Workflow',
    knowledgeChoice: 'Knowledge base',
    choose: 'Choose…',
  },
  { toolChoice: '共享工具', workflowChoice: '工作流', knowledgeChoice: '知识库', choose: '请选择…' },
)

interface UsedFieldProps {
  form: ToolForm
  edit: (change: Partial<ToolForm>) => void
}

/** The tool's workflow, knowledge base or shared tool. */
export function UsedField({ form, edit }: UsedFieldProps) {
  const words = useWords()
  if (form.type === 'tool')
    return <SharedToolField {...{ form, edit }} label={words.toolChoice} placeholder={words.choose} />
  const isWorkflow = form.type === 'workflow'
  const label = isWorkflow ? words.workflowChoice : words.knowledgeChoice
  return (
    <div className="agent-field">
      <span className="agent-field-label">{label}</span>
      {isWorkflow ? (
        <WorkflowSelect
          value={form.id}
          onChange={id => edit({ id })}
          label={label}
          placeholder={words.choose}
        />
      ) : (
        <KnowledgeSelect
          value={form.id === '' ? [] : [form.id]}
          onChange={ids => edit({ id: ids.at(-1) ?? '' })}
          label={label}
          placeholder={words.choose}
        />
      )}
    </div>
  )
}
