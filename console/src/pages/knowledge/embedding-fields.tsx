import { Form, Input, Radio } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { SettingsForm } from './settings-form.ts'
import { useFeatures } from './use-knowledge.ts'

const useWords = defineWords(
  {
    use: 'Search method',
    model: 'Semantic and keywords',
    modelHint: 'Finds “leave” for “holiday”, also across languages.',
    none: 'Keywords only',
    noneHint: 'Needs no model. Finds exact words.',
    name: 'Embedding model',
    nameHint: (usual: string) => `If empty, the server’s embedding model ${usual} is used.`,
    missing: (settings: string) =>
      `This server has no embedding model, so search uses keywords only. To enable semantic search, set ${settings} and restart the server.`,
  },
  {
    use: '检索方式',
    model: '语义与关键词',
    modelHint: '搜索“假期”也能找到“休假”，还能跨语言。',
    none: '仅关键词',
    noneHint: '不需要模型，只查找词语本身。',
    name: '向量模型',
    nameHint: (usual: string) => `留空则使用服务器的向量模型 ${usual}。`,
    missing: (settings: string) =>
      `服务器没有配置向量模型，因此仅按关键词检索。要启用语义检索，请设置 ${settings} 并重启服务器。`,
  },
)

/** The embedding model, or none. */
export function EmbeddingFields() {
  const words = useWords()
  const { data } = useFeatures()
  const form = Form.useFormInstance<SettingsForm>()
  const use = Form.useWatch(['embedding', 'use'], { form, preserve: true })
  const isMissing = data !== undefined && !data.embedding.ready
  return (
    <>
      <Form.Item
        name={['embedding', 'use']}
        label={words.use}
        {...(isMissing && { extra: words.missing(data.embedding.settings.slice(0, 2).join(', ')) })}
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
