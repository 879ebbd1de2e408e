import { useId } from 'react'
import { invalidProps, ProblemLine } from '../../../ui/tools/field-problem.tsx'
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
  problem: string | undefined
  edit: (change: Partial<ToolForm>) => void
}

/** The tool's workflow, knowledge base or shared tool. */
export function UsedField({ form, problem, edit }: UsedFieldProps) {
  const words = useWords()
  const problemId = useId()
  if (form.type === 'tool')
    return (
      <SharedToolField {...{ form, edit, problem }} label={words.toolChoice} placeholder={words.choose} />
    )
  const isWorkflow = form.type === 'workflow'
  const invalid = invalidProps(problemId, problem !== undefined)
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
          invalid={invalid}
        />
      ) : (
        <KnowledgeSelect
          value={form.id === '' ? [] : [form.id]}
          onChange={ids => edit({ id: ids.at(-1) ?? '' })}
          label={label}
          placeholder={words.choose}
          invalid={invalid}
        />
      )}
      <ProblemLine id={problemId} text={problem} />
    </div>
  )
}
