import { FilterOutlined } from '@ant-design/icons'
import { Button, InputNumber, Select, Switch } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { useModeWords } from './mode-words.ts'
import type { SearchState } from './search-state.ts'
import { type KnowledgeBase, useFeatures } from './use-knowledge.ts'

const useWords = defineWords(
  {
    mode: 'Search mode',
    usual: (mode: string) => `Default: ${mode}`,
    topK: 'Max results',
    threshold: 'Minimum score',
    rerank: 'Rerank',
    noRerank: 'This server has no rerank model.',
    noMeaning: 'This knowledge base supports keyword search only.',
    filter: 'Filter',
  },
  {
    mode: '检索模式',
    usual: (mode: string) => `默认：${mode}`,
    topK: '最多条数',
    threshold: '最低分数',
    rerank: '重排序',
    noRerank: '服务器没有配置重排序模型。',
    noMeaning: '此知识库仅支持关键词检索。',
    filter: '筛选',
  },
)

interface SearchOptionsProps {
  base: KnowledgeBase
  draft: SearchState
  change: (part: Partial<SearchState>) => void
}

/** How this one search is done; what is not touched is as the base has it. */
export function SearchOptions({ base, draft, change }: SearchOptionsProps) {
  const words = useWords()
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
