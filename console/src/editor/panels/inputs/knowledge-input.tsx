import { defineWords } from '../../../ui/words.ts'
import type { InputProps } from './input-props.ts'
import { NamedIdSelect } from './named-id-select.tsx'
import { knowledgeNames } from './named-ids.ts'

const useWords = defineWords({ choose: 'Choose a knowledge base' }, { choose: '选择知识库' })

/** A knowledge base. */
export function KnowledgeInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  return (
    <NamedIdSelect
      source={knowledgeNames}
      chosen={typeof value === 'string' && value !== '' ? [value] : []}
      onChoose={([id]) => onChange(id)}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}

/** Several knowledge bases. */
export function KnowledgeListInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  return (
    <NamedIdSelect
      isMultiple
      source={knowledgeNames}
      chosen={(value ?? []) as string[]}
      onChoose={onChange}
      placeholder={words.choose}
      {...{ pointer, label }}
    />
  )
}
