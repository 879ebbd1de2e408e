import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useDocument } from './use-document.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

interface DocumentSelectProps {
  base: KnowledgeBase
  value: string | undefined
  onChange: (fileId: string | undefined) => void
  label: string
}

/** Selects a document by name, searched on the server. */
export function DocumentSelect({ base, value, onChange, label }: DocumentSelectProps) {
  const [keyword, setKeyword] = useState('')
  const rested = useDebounced(keyword.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['knowledge', 'base', base.knowledge_id, 'choice', rested],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/files', {
        params: { knowledge_id: base.knowledge_id },
        query: { ...(rested !== '' && { keyword: rested }), page_size: 20 },
        signal,
      }),
  })
  // The selected document keeps its label, also if it is not among the options.
  const { data: chosen } = useDocument(base.knowledge_id, value)
  const listed = data?.items ?? []
  const isListed = listed.some(({ file_id }) => file_id === value)
  const choices = chosen && !isListed && rested === '' ? [chosen, ...listed] : listed
  return (
    <Select
      className="kb-document-select"
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      allowClear
      value={value ?? null}
      loading={isFetching}
      placeholder={label}
      aria-label={label}
      options={choices.map(({ file_id, name }) => ({ value: file_id, label: name }))}
      onChange={(next: string | null | undefined) => onChange(next ?? undefined)}
    />
  )
}
