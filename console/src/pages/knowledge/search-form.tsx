import { DeleteOutlined, FilterOutlined, PlusOutlined, SearchOutlined } from '@ant-design/icons'
import { Button, Input, InputNumber, Select, Switch } from 'antd'
import { type FormEvent, useState } from 'react'
import { defineWords } from '../../ui/words.ts'
import { type FilterRow, operators, type SearchState, searchHref } from './search-state.ts'
import { useModeWords } from './settings-fields.tsx'
import { type KnowledgeBase, useFeatures } from './use-knowledge.ts'

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
  // Back and forward change the URL without this form; then the form follows.
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

const useSearchOptionsWords = defineWords(
  {
    mode: 'Search mode',
    usual: (mode: string) => `Default: ${mode}`,
    topK: 'Max results',
    threshold: 'Minimum score',
    rerank: 'Rerank',
    noRerank: 'There is no rerank model. To use one, add it under Models.',
    noMeaning: 'This knowledge base supports keyword search only.',
    filter: 'Filter',
  },
  {
    mode: '检索模式',
    usual: (mode: string) => `默认：${mode}`,
    topK: '最多条数',
    threshold: '最低分数',
    rerank: '重排序',
    noRerank: '没有重排序模型。要使用它，请在“模型”页添加。',
    noMeaning: '此知识库仅支持关键词检索。',
    filter: '筛选',
  },
)

interface SearchOptionsProps {
  base: KnowledgeBase
  draft: SearchState
  change: (part: Partial<SearchState>) => void
}

/** Options of this search; unset ones use the knowledge base's settings. */
function SearchOptions({ base, draft, change }: SearchOptionsProps) {
  const words = useSearchOptionsWords()
  const modes = useModeWords()
  const { data: features } = useFeatures()
  const { retrieval, embedding } = base
  const canRerank = features?.rerank.ready ?? false
  return (
    <div className="kb-search-options">
      <span className="kb-option">
        <span className="soft">{words.mode}</span>
        <Select<'usual' | 'keyword' | 'semantic' | 'hybrid'>
          value={draft.mode ?? 'usual'}
          aria-label={words.mode}
          popupMatchSelectWidth={false}
          onChange={value => change({ mode: value === 'usual' ? undefined : value })}
          options={[
            { value: 'usual' as const, label: words.usual(modes[retrieval.mode]) },
            ...(['keyword', 'semantic', 'hybrid'] as const).map(value => ({
              value,
              label: modes[value],
              disabled: value !== 'keyword' && embedding === null,
              title: value !== 'keyword' && embedding === null ? words.noMeaning : modes[value],
            })),
          ]}
        />
      </span>
      <span className="kb-option">
        <span className="soft">{words.topK}</span>
        <InputNumber
          min={1}
          max={50}
          precision={0}
          value={draft.topK ?? retrieval.top_k}
          aria-label={words.topK}
          onChange={value => change({ topK: value ?? undefined })}
        />
      </span>
      <span className="kb-option">
        <span className="soft">{words.threshold}</span>
        <InputNumber
          min={0}
          max={1}
          step={0.05}
          value={draft.threshold ?? retrieval.score_threshold}
          aria-label={words.threshold}
          onChange={value => change({ threshold: value ?? undefined })}
        />
      </span>
      <span className="kb-option" title={canRerank ? undefined : words.noRerank}>
        <span className="soft">{words.rerank}</span>
        <Switch
          size="small"
          disabled={!canRerank}
          checked={draft.rerank ?? retrieval.rerank}
          aria-label={words.rerank}
          onChange={rerank => change({ rerank })}
        />
      </span>
      {draft.filter.length === 0 && (
        <Button
          type="text"
          icon={<FilterOutlined aria-hidden />}
          onClick={() => change({ filter: [{ key: '', operator: 'eq', value: '' }] })}
        >
          {words.filter}
        </Button>
      )}
    </div>
  )
}

const useFilterRowsWords = defineWords(
  {
    about: 'Only documents whose metadata matches all conditions:',
    key: (number: number) => `Key of condition ${number}`,
    operator: (number: number) => `Operator of condition ${number}`,
    value: (number: number) => `Value of condition ${number}`,
    remove: (number: number) => `Remove condition ${number}`,
    add: 'Add a condition',
    eq: 'is',
    in: 'is one of',
    gte: 'at least',
    lte: 'at most',
    gt: 'more than',
    lt: 'less than',
    keyExample: 'year',
    valueExample: '2026',
    listExample: '2025, 2026',
  },
  {
    about: '只搜索元数据满足以下全部条件的文档：',
    key: (number: number) => `条件 ${number} 的键`,
    operator: (number: number) => `条件 ${number} 的比较方式`,
    value: (number: number) => `条件 ${number} 的值`,
    remove: (number: number) => `移除条件 ${number}`,
    add: '添加条件',
    eq: '等于',
    in: '是其中之一',
    gte: '不小于',
    lte: '不大于',
    gt: '大于',
    lt: '小于',
    keyExample: 'year',
    valueExample: '2026',
    listExample: '2025, 2026',
  },
)

/** Conditions on the metadata of documents. */
function FilterRows({
  rows,
  onChange,
}: {
  rows: readonly FilterRow[]
  onChange: (rows: FilterRow[]) => void
}) {
  const words = useFilterRowsWords()
  const change = (at: number, part: Partial<FilterRow>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  return (
    <fieldset className="kb-filter-rows">
      <legend className="soft small">{words.about}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name but their place, and their key is being typed
        <div className="kb-filter-row" key={index}>
          <Input
            value={row.key}
            maxLength={100}
            placeholder={words.keyExample}
            aria-label={words.key(index + 1)}
            onChange={event => change(index, { key: event.target.value })}
          />
          <Select
            value={row.operator}
            aria-label={words.operator(index + 1)}
            options={operators.map(value => ({ value, label: words[value] }))}
            onChange={operator => change(index, { operator })}
          />
          <Input
            value={row.value}
            placeholder={row.operator === 'in' ? words.listExample : words.valueExample}
            aria-label={words.value(index + 1)}
            onChange={event => change(index, { value: event.target.value })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={words.remove(index + 1)}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        size="small"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => onChange([...rows, { key: '', operator: 'eq', value: '' }])}
      >
        {words.add}
      </Button>
    </fieldset>
  )
}
