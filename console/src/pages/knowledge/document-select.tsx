import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useOptionsFailure } from '../../ui/failure.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useDocument } from './use-document.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

/** The documents whose names match what is typed, searched on the server. */
function useDocumentChoices(base: KnowledgeBase) {
  const [keyword, setKeyword] = useState('')
  const rested = useDebounced(keyword.trim())
  const found = useQuery({
    queryKey: ['knowledge', 'base', base.knowledge_id, 'choice', rested],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/files', {
        params: { knowledge_id: base.knowledge_id },
        query: { ...(rested !== '' && { keyword: rested }), page_size: 20 },
        signal,
      }),
  })
  return { listed: found.data?.items ?? [], found, rested, setKeyword }
}

interface DocumentSelectProps {
  base: KnowledgeBase
  value: string | undefined
  onChange: (fileId: string | undefined) => void
  label: string
}

/** Selects a document by name. */
export function DocumentSelect({ base, value, onChange, label }: DocumentSelectProps) {
  const { listed, rested, found, setKeyword } = useDocumentChoices(base)
  // The selected document keeps its label, also if it is not among the options.
  const { data: chosen } = useDocument(base.knowledge_id, value)
  const isListed = listed.some(({ file_id }) => file_id === value)
  const choices = chosen && !isListed && rested === '' ? [chosen, ...listed] : listed
  return (
    <Select
      className="kb-document-select"
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      allowClear
      value={value ?? null}
      loading={found.isFetching}
      {...useOptionsFailure(found)}
      placeholder={label}
      aria-label={label}
      options={choices.map(({ file_id, name }) => ({ value: file_id, label: name }))}
      onChange={(next: string | null | undefined) => onChange(next ?? undefined)}
    />
  )
}

interface DocumentsSelectProps {
  base: KnowledgeBase
  /** The documents that are chosen at first. */
  known: readonly { file_id: string; name: string | null }[]
  max: number
  /** Set by the surrounding form item. */
  id?: string
  value?: string[]
  onChange?: (fileIds: string[]) => void
}

/** Selects several documents by name; a field of a form. */
export function DocumentsSelect({ base, known, max, id, value = [], onChange }: DocumentsSelectProps) {
  const { listed, found, setKeyword } = useDocumentChoices(base)
  // Chosen documents keep their names when another search lists others.
  const names = useRef(new Map(known.map(({ file_id, name }) => [file_id, name ?? file_id])))
  for (const { file_id, name } of listed) names.current.set(file_id, name)
  const others = value.filter(chosen => listed.every(({ file_id }) => file_id !== chosen))
  return (
    <Select
      {...(id !== undefined && { id })}
      mode="multiple"
      maxCount={max}
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      value={value}
      loading={found.isFetching}
      {...useOptionsFailure(found)}
      options={[...others, ...listed.map(({ file_id }) => file_id)].map(fileId => ({
        value: fileId,
        label: names.current.get(fileId) ?? fileId,
      }))}
      onChange={(next: string[]) => onChange?.(next)}
    />
  )
}
