import { Form, InputNumber, Select, Switch } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { useFeatures } from './use-knowledge.ts'

const useWords = defineWords(
  {
    mode: 'Search mode',
    modeHint: 'Default for searches, agents and workflows that do not specify a mode.',
    topK: 'Max results',
    topKHint: '1 to 50. More results give an agent more context, but also more noise.',
    threshold: 'Minimum score',
    thresholdHint: '0 to 1. Passages with a lower score are left out; 0 keeps all.',
    rerank: 'Rerank',
    rerankHint: 'A rerank model sorts the results again: better order, slightly slower.',
    missing: (settings: string) => `This server has no rerank model. To use one, set ${settings}.`,
  },
  {
    mode: '检索模式',
    modeHint: '搜索、智能体或工作流没有另行指定时使用。',
    topK: '最多返回段落数',
    topKHint: '1 到 50。越多，智能体的上下文越多，也越容易偏离重点。',
    threshold: '最低分数',
    thresholdHint: '0 到 1。低于此分数的段落不返回；0 表示不限制。',
    rerank: '重排序',
    rerankHint: '由重排序模型对结果重新排序：顺序更好，稍慢一些。',
    missing: (settings: string) => `服务器没有配置重排序模型。要使用它，请设置 ${settings}。`,
  },
)

/** The default search settings of a knowledge base. */
export function RetrievalFields({ withAuto = false }: { withAuto?: boolean }) {
  const words = useWords()
  const modes = useModeWords()
  const { data } = useFeatures()
  const names = [...(withAuto ? (['auto'] as const) : []), 'hybrid', 'keyword', 'semantic'] as const
  const isMissing = data !== undefined && !data.rerank.ready
  return (
    <>
      <div className="kb-field-triple">
        <Form.Item name={['retrieval', 'mode']} label={words.mode} extra={words.modeHint}>
          <Select options={names.map(value => ({ value, label: modes[value] }))} />
        </Form.Item>
        <Form.Item name={['retrieval', 'top_k']} label={words.topK} extra={words.topKHint}>
          <InputNumber min={1} max={50} precision={0} />
        </Form.Item>
        <Form.Item
          name={['retrieval', 'score_threshold']}
          label={words.threshold}
          extra={words.thresholdHint}
        >
          <InputNumber min={0} max={1} step={0.05} />
        </Form.Item>
      </div>
      <Form.Item
        name={['retrieval', 'rerank']}
        label={words.rerank}
        valuePropName="checked"
        extra={isMissing ? words.missing(data.rerank.settings.slice(0, 2).join(', ')) : words.rerankHint}
      >
        <Switch disabled={isMissing} aria-label={words.rerank} />
      </Form.Item>
    </>
  )
}

/** Labels of the search modes. */
export const useModeWords = defineWords(
  {
    auto: 'Automatic',
    hybrid: 'Hybrid',
    keyword: 'Keywords',
    semantic: 'Semantic',
  },
  { auto: '自动', hybrid: '混合（关键词与语义）', keyword: '关键词', semantic: '语义' },
)
