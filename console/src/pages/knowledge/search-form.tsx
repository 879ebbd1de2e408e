import { SearchOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { type FormEvent, useState } from 'react'
import { defineWords } from '../../ui/words.ts'
import { FilterRows } from './filter-rows.tsx'
import { SearchOptions } from './search-options.tsx'
import { type SearchState, searchHref } from './search-state.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    region: 'Search this knowledge base',
    question: 'Question or keywords',
    example: 'How many days of holiday do I have?',
    search: 'Search',
  },
  {
    region: '搜索此知识库',
    question: '问题或关键词',
    example: '我有多少天假期？',
    search: '搜索',
  },
)

interface SearchFormProps {
  base: KnowledgeBase
  state: SearchState
  isBusy: boolean
  onSearch: (state: SearchState) => void
}

export function SearchForm({ base, state, isBusy, onSearch }: SearchFormProps) {
  const words = useWords()
  const address = searchHref(base.knowledge_id, state)
  const [seen, setSeen] = useState(address)
  const [draft, setDraft] = useState(state)
  // Back and forward change the address without this form; then it shows what stands there.
  if (seen !== address) {
    setSeen(address)
    setDraft(state)
  }
  const change = (part: Partial<SearchState>): void => setDraft({ ...draft, ...part })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (draft.text.trim() !== '') onSearch({ ...draft, text: draft.text.trim() })
  }
  return (
    <search className="kb-search-form" aria-label={words.region}>
      <form onSubmit={submit}>
        <div className="kb-search-question">
          <Input
            size="large"
            autoFocus
            value={draft.text}
            maxLength={4000}
            prefix={<SearchOutlined aria-hidden />}
            placeholder={words.example}
            aria-label={words.question}
            onChange={event => change({ text: event.target.value })}
          />
          <Button
            size="large"
            type="primary"
            htmlType="submit"
            loading={isBusy}
            disabled={draft.text.trim() === ''}
          >
            {words.search}
          </Button>
        </div>
        <SearchOptions base={base} draft={draft} change={change} />
        {draft.filter.length > 0 && (
          <FilterRows rows={draft.filter} onChange={filter => change({ filter })} />
        )}
      </form>
    </search>
  )
}
