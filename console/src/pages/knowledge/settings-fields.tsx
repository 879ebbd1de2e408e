import { Form, Input, InputNumber, Radio, Select, Switch } from 'antd'
import { InlineCode } from '../../ui/inline-code.tsx'
import { defineWords } from '../../ui/words.ts'
import type { SettingsForm } from './settings-form.ts'
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
    missing: (settings: string) =>
      `There is no rerank model. To use one, add it under Models, or set ${settings} and restart the server.`,
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
    missing: (settings: string) =>
      `没有重排序模型。要使用它，请在“模型”页添加，或设置 ${settings} 后重启服务器。`,
  },
)

/** Names of server settings, formatted as code. */
const codes = (settings: readonly string[]): string =>
  settings
    .slice(0, 2)
    .map(name => `\`${name}\``)
    .join(', ')

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
        extra={
          isMissing ? <InlineCode text={words.missing(codes(data.rerank.settings))} /> : words.rerankHint
        }
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

const useChunkingFieldsWords = defineWords(
  {
    strategy: 'Chunking',
    auto: 'Automatic',
    autoHint: 'Follows the structure of each document; short sections are merged.',
    heading: 'By heading',
    headingHint: 'Each section becomes a passage.',
    paragraph: 'By paragraph',
    paragraphHint: 'For text without headings, such as letters.',
    qa: 'Questions and answers',
    qaHint: 'Each row of a question-and-answer table becomes a passage.',
    size: 'Max passage length (tokens)',
    sizeHint: '100 to 4000. Short passages are more precise, long ones keep more context.',
    overlap: 'Overlap (tokens)',
    overlapHint: 'How much a passage repeats from the previous one; at most half its length.',
    separators: 'Separators',
    separatorsHint: 'Text is split at these, such as \\n\\n or ###. Usually not needed.',
  },
  {
    strategy: '切分方式',
    auto: '自动',
    autoHint: '按文档自身的结构切分，较短的小节会合并。',
    heading: '按标题',
    headingHint: '每个小节成为一个段落。',
    paragraph: '按段落',
    paragraphHint: '适合没有标题的文本，例如信件。',
    qa: '问答',
    qaHint: '问答表格的每一行成为一个段落。',
    size: '段落最大长度（token）',
    sizeHint: '100 到 4000。越短越精确，越长上下文越完整。',
    overlap: '重叠长度（token）',
    overlapHint: '与前一段落重复的部分，最多为段落长度的一半。',
    separators: '分隔符',
    separatorsHint: '在这些分隔符处切分文本，例如 \\n\\n 或 ###。通常不需要。',
  },
)

const strategies = ['auto', 'heading', 'paragraph', 'qa'] as const

/** Fields for splitting documents into chunks. */
export function ChunkingFields() {
  const words = useChunkingFieldsWords()
  return (
    <>
      <Form.Item name={['chunking', 'strategy']} label={words.strategy}>
        <Radio.Group className="kb-choices" aria-label={words.strategy}>
          {strategies.map(name => (
            <Radio key={name} value={name}>
              {words[name]} <span className="soft small">{words[`${name}Hint`]}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      <div className="kb-field-pair">
        <Form.Item name={['chunking', 'size']} label={words.size} extra={words.sizeHint}>
          <InputNumber min={100} max={4000} precision={0} />
        </Form.Item>
        <Form.Item name={['chunking', 'overlap']} label={words.overlap} extra={words.overlapHint}>
          <InputNumber min={0} max={500} precision={0} />
        </Form.Item>
      </div>
      <Form.Item name={['chunking', 'separators']} label={words.separators} extra={words.separatorsHint}>
        <Select mode="tags" open={false} suffixIcon={null} maxCount={20} aria-label={words.separators} />
      </Form.Item>
    </>
  )
}

const useEmbeddingFieldsWords = defineWords(
  {
    use: 'Search method',
    model: 'Semantic and keywords',
    modelHint: 'Finds “leave” for “holiday”, also across languages.',
    none: 'Keywords only',
    noneHint: 'Needs no model. Finds exact words.',
    name: 'Embedding model',
    nameHint: (usual: string) => `If empty, the default embedding model ${usual} is used.`,
    missing: (settings: string) =>
      `There is no embedding model, so search uses keywords only. To enable semantic search, add one under Models, or set ${settings} and restart the server.`,
  },
  {
    use: '检索方式',
    model: '语义与关键词',
    modelHint: '搜索“假期”也能找到“休假”，还能跨语言。',
    none: '仅关键词',
    noneHint: '不需要模型，只查找词语本身。',
    name: '向量模型',
    nameHint: (usual: string) => `留空则使用默认的向量模型 ${usual}。`,
    missing: (settings: string) =>
      `还没有向量模型，因此仅按关键词检索。要启用语义检索，请在“模型”中添加一个，或设置 ${settings} 并重启服务器。`,
  },
)

/** The embedding model, or none. */
export function EmbeddingFields() {
  const words = useEmbeddingFieldsWords()
  const { data } = useFeatures()
  const form = Form.useFormInstance<SettingsForm>()
  const use = Form.useWatch(['embedding', 'use'], { form, preserve: true })
  const isMissing = data !== undefined && !data.embedding.ready
  return (
    <>
      <Form.Item
        name={['embedding', 'use']}
        label={words.use}
        {...(isMissing && { extra: <InlineCode text={words.missing(codes(data.embedding.settings))} /> })}
        getValueProps={(value: string) => ({
          // Without an embedding model on the server, the default is keyword search.
          value: isMissing && form.getFieldValue(['embedding', 'model']) === '' ? 'none' : value,
        })}
      >
        <Radio.Group className="kb-choices" aria-label={words.use}>
          <Radio value="model" disabled={isMissing}>
            {words.model} <span className="soft small">{words.modelHint}</span>
          </Radio>
          <Radio value="none">
            {words.none} <span className="soft small">{words.noneHint}</span>
          </Radio>
        </Radio.Group>
      </Form.Item>
      {use === 'model' && !isMissing && (
        <Form.Item
          name={['embedding', 'model']}
          label={words.name}
          extra={words.nameHint(data?.embedding.name ?? '')}
        >
          <Input maxLength={200} placeholder={data?.embedding.name ?? ''} autoComplete="off" />
        </Form.Item>
      )}
    </>
  )
}

const useNameFieldsWords = defineWords(
  {
    name: 'Name',
    needed: 'Enter a name',
    example: 'Handbook',
    description: 'Description',
    hint: 'What the knowledge base contains. The search in the list also finds this text.',
  },
  {
    name: '名称',
    needed: '请填写名称',
    example: '员工手册',
    description: '描述',
    hint: '说明其中有什么内容；列表也可按描述搜索。',
  },
)

export function NameFields({ autoFocus = false }: { autoFocus?: boolean }) {
  const words = useNameFieldsWords()
  return (
    <>
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.needed }]}
      >
        <Input maxLength={100} placeholder={words.example} autoFocus={autoFocus} />
      </Form.Item>
      <Form.Item name="description" label={words.description} extra={words.hint}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={2000} />
      </Form.Item>
    </>
  )
}
