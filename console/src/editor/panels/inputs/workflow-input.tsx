import { defineWords } from '../../../ui/words.ts'
import type { InputProps } from './input-props.ts'
import { NamedIdSelect } from './named-id-select.tsx'
import { workflowNames } from './named-ids.ts'

const useWords = defineWords({ choose: 'Choose a workflow' }, { choose: '选择工作流' })

/** Another workflow. */
export function WorkflowInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  return (
    <NamedIdSelect
      source={workflowNames}
      chosen={typeof value === 'string' && value !== '' ? [value] : []}
      onChoose={([id]) => onChange(id)}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}
