import { Form, Input, Radio } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { SettingsForm } from './settings-form.ts'
import { useFeatures } from './use-knowledge.ts'

const useWords = defineWords(
  {
    use: 'Embedding',
    model: 'By meaning too',
    modelHint: 'Finds “leave” when somebody asks for “holiday”, also across languages.',
    none: 'By keywords only',
    noneHint: 'Needs no model. Finds the words themselves.',
    name: 'Model',
    nameHint: (usual: string) => `Empty for the model of the server, ${usual}.`,
    missing: (settings: string) =>
      `This server has no embedding model, so documents are found by keywords. To find by meaning, set ${settings} and start it again.`,
  },
  {
    use: '向量模型',
    model: '同时按语义查找',
    modelHint: '搜索“假期”也能找到“休假”，还能跨语言。',
    none: '仅按关键词查找',
    noneHint: '不需要模型，只查找词语本身。',
    name: '模型',
    nameHint: (usual: string) => `留空则使用服务器的模型 ${usual}。`,
    missing: (settings: string) =>
      `服务器没有配置向量模型，因此按关键词查找。要按语义查找，请设置 ${settings} 并重启服务器。`,
  },
)

/** Which model turns text into vectors, or none. */
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
          // Without a model of the server "as usual" means by keywords.
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
