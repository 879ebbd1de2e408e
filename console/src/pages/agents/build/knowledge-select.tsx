import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { useOptionsFailure } from '../../../ui/failure.tsx'
import { pathTo } from '../../../ui/router.ts'
import type { invalidProps } from '../../../ui/tools/field-problem.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { defineWords } from '../../../ui/words.ts'
import { FieldGroup, type PartProps } from './field.tsx'

interface KnowledgeSelectProps {
  value: readonly string[]
  onChange: (ids: string[]) => void
  label: string
  placeholder: string
  isDisabled?: boolean
  invalid?: ReturnType<typeof invalidProps>
  /** Maximum number of knowledge bases. */
  most?: number
}

/** Selects knowledge bases by name. */
export function KnowledgeSelect({
  value,
  onChange,
  label,
  placeholder,
  isDisabled = false,
  invalid,
  most = 100,
}: KnowledgeSelectProps) {
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const found = useQuery({
    queryKey: ['knowledge-choices', keyword],
    queryFn: async ({ signal }) =>
      (await call('POST /api/v1/knowledge', { body: { keyword, page_size: 50 }, signal })).items,
    placeholderData: keepPreviousData,
  })
  const chosen = useQuery({
    queryKey: ['knowledge-chosen', ...value],
    queryFn: async ({ signal }) =>
      (await call('POST /api/v1/knowledge', { body: { knowledge_ids: [...value], page_size: 100 }, signal }))
        .items,
    enabled: value.length > 0,
    placeholderData: keepPreviousData,
  })
  const names = new Map(
    [...(found.data ?? []), ...(chosen.data ?? [])].map(({ knowledge_id, name }) => [knowledge_id, name]),
  )
  const ids = new Set([...(found.data ?? []).map(({ knowledge_id }) => knowledge_id), ...value])
  return (
    <Select
      mode="multiple"
      className="wide-field"
      aria-label={label}
      {...invalid}
      placeholder={placeholder}
      disabled={isDisabled}
      loading={found.isFetching}
      {...useOptionsFailure(found)}
      maxCount={most}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      options={[...ids].map(id => ({ value: id, label: names.get(id) ?? id }))}
      value={[...value]}
      onChange={onChange}
    />
  )
}

const useWords = defineWords(
  {
    title: 'Knowledge',
    about:
      'Before it answers, the agent searches these knowledge bases for relevant passages. The answer cites them as [1].',
    bases: 'Knowledge bases',
    choose: 'Choose knowledge bases',
    make: 'Create a knowledge base',
  },
  {
    title: '知识',
    about: '回答之前，会用用户的问题检索相关段落；回答中以 [1] 的形式标注来源。',
    bases: '知识库',
    choose: '选择知识库',
    make: '新建知识库',
  },
)

export function KnowledgeFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  return (
    <FieldGroup title={words.title} about={words.about}>
      <div className="agent-field">
        <KnowledgeSelect
          value={draft.knowledgeIds}
          onChange={knowledgeIds => edit({ knowledgeIds })}
          label={words.bases}
          placeholder={words.choose}
          isDisabled={isDisabled}
        />
        {!isDisabled && (
          <p className="soft small">
            <a href={pathTo('knowledge')}>{words.make}</a>
          </p>
        )}
      </div>
    </FieldGroup>
  )
}
