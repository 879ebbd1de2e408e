import { useMutation } from '@tanstack/react-query'
import { Alert, App, Checkbox, Form, type FormInstance, Input, InputNumber, Modal, Select } from 'antd'
import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { Failure } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { defineWords } from '../../ui/words.ts'
import { type Model, useRefreshModels } from './use-models.ts'

/** Adds a model, or edits the given one. */
export function ModelDialog({ model, onClose }: { model: Model | undefined; onClose: () => void }) {
  const words = useModelFormWords()
  const { message } = App.useApp()
  const refresh = useRefreshModels()
  const [form] = Form.useForm<ModelFields>()
  const save = useMutation({
    mutationFn: (fields: ModelFields) =>
      model
        ? call('POST /api/v1/model/update', { body: updateBody(model, fields) })
        : call('POST /api/v1/model/create', { body: createBody(fields) }),
    onSuccess: async saved => {
      await refresh()
      message.success(words.saved(saved.name))
      onClose()
    },
  })
  return (
    <Modal
      open
      title={model ? words.edit : words.add}
      okText={words.save}
      cancelText={words.cancel}
      confirmLoading={save.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      {save.isError && <Failure error={save.error} />}
      <Form
        form={form}
        layout="vertical"
        name="model"
        requiredMark={false}
        initialValues={model ? fieldsOf(model) : {}}
        onFinish={fields => save.mutate(fields)}
      >
        <ModelFormItems form={form} model={model} />
      </Form>
    </Modal>
  )
}

const isPrivate = (address: string | undefined): boolean =>
  /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\])/i.test(address ?? '')

function ProviderField({ form }: { form: FormInstance<ModelFields> }) {
  const words = useModelFormWords()
  const isChinese = useLanguage() === 'zh'
  const choose = (id: string): void => {
    const provider = modelProviders.find(each => each.id === id)
    form.setFieldsValue({ base_url: provider?.baseUrl ?? '', model: provider?.model ?? '' })
    if (provider && !form.getFieldValue('name')) form.setFieldValue('name', provider.id)
  }
  const options = modelProviders.map(({ id, name, chineseName }) => ({
    value: id,
    label: (isChinese && chineseName) || name,
  }))
  return (
    <Form.Item label={words.provider} htmlFor="model-provider">
      <Select
        id="model-provider"
        aria-label={words.provider}
        options={[...options, { value: '', label: words.other }]}
        onChange={choose}
      />
    </Form.Item>
  )
}

function KeyField({ model }: { model: Model | undefined }) {
  const words = useModelFormWords()
  const hasKey = model?.has_key === true
  return (
    <>
      <Form.Item name="api_key" label={words.key} extra={hasKey ? words.keyKept : words.keyAbout}>
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      {hasKey && (
        <Form.Item name="remove_key" valuePropName="checked">
          <Checkbox>{words.removeKey}</Checkbox>
        </Form.Item>
      )}
    </>
  )
}

function LimitFields() {
  const words = useModelFormWords()
  return (
    <div className="model-form-pair">
      <Form.Item name="max_tokens" label={words.maxTokens}>
        <InputNumber
          min={1}
          max={10_000_000}
          precision={0}
          placeholder={words.unset}
          style={{ width: '100%' }}
        />
      </Form.Item>
      <Form.Item name="temperature" label={words.temperature}>
        <InputNumber min={0} max={2} step={0.1} placeholder={words.unset} style={{ width: '100%' }} />
      </Form.Item>
    </div>
  )
}

function ModelFormItems({ form, model }: { form: FormInstance<ModelFields>; model: Model | undefined }) {
  const words = useModelFormWords()
  const address = Form.useWatch('base_url', form)
  const rules = [{ required: true, whitespace: true, message: words.needed }]
  return (
    <>
      {!model && <ProviderField form={form} />}
      <Form.Item name="base_url" label={words.address} extra={words.addressAbout} rules={rules}>
        <Input inputMode="url" placeholder="https://api.openai.com/v1" />
      </Form.Item>
      {isPrivate(address) && <Alert type="warning" showIcon title={words.private} className="form-note" />}
      <div className="model-form-pair">
        <Form.Item name="model" label={words.model} extra={words.modelAbout} rules={rules}>
          <Input placeholder="gpt-4o-mini" />
        </Form.Item>
        <Form.Item name="name" label={words.name} extra={words.nameAbout} rules={rules}>
          <Input placeholder="fast" />
        </Form.Item>
      </div>
      <KeyField model={model} />
      <LimitFields />
      <Form.Item name="is_default" valuePropName="checked" style={{ marginBottom: 0 }}>
        <Checkbox>{words.isDefault}</Checkbox>
      </Form.Item>
    </>
  )
}

interface ModelProvider {
  id: string
  /** The provider's name, the same in every language except for those below. */
  name: string
  chineseName?: string
  baseUrl: string
  /** A suggested model id of the provider. */
  model: string
}

/** Well-known providers with an OpenAI-compatible chat API. */
const modelProviders: readonly ModelProvider[] = [
  { id: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', model: 'gpt-4o-mini' },
  { id: 'deepseek', name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', model: 'deepseek-chat' },
  {
    id: 'dashscope',
    name: 'Qwen (DashScope)',
    chineseName: '通义千问（百炼）',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
  },
  {
    id: 'moonshot',
    name: 'Moonshot (Kimi)',
    chineseName: '月之暗面（Kimi）',
    baseUrl: 'https://api.moonshot.cn/v1',
    model: 'moonshot-v1-8k',
  },
  {
    id: 'zhipu',
    name: 'Zhipu (GLM)',
    chineseName: '智谱（GLM）',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    model: 'glm-4-flash',
  },
  {
    id: 'siliconflow',
    name: 'SiliconFlow',
    chineseName: '硅基流动',
    baseUrl: 'https://api.siliconflow.cn/v1',
    model: 'Qwen/Qwen2.5-7B-Instruct',
  },
  { id: 'openrouter', name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', model: 'openrouter/auto' },
  {
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'qwen3',
  },
]

const useModelFormWords = defineWords(
  {
    add: 'Add a model',
    edit: 'Edit model',
    save: 'Save',
    cancel: 'Cancel',
    provider: 'Provider',
    other: 'Other',
    name: 'Name',
    nameAbout: 'Agents and workflow nodes refer to the model by this name.',
    address: 'Base URL',
    addressAbout: 'Base URL of an OpenAI-compatible chat API; usually ends with /v1.',
    model: 'Model ID',
    modelAbout: 'The provider’s name of the model.',
    key: 'API key',
    keyAbout: 'Leave empty if the provider needs none. It is stored encrypted and never shown again.',
    keyKept: 'Leave empty to keep the stored key. Enter it again if the base URL changes to another server.',
    removeKey: 'Remove the stored key',
    isDefault: 'Use as default model',
    more: 'Limits',
    maxTokens: 'Max tokens',
    temperature: 'Temperature (0 to 2)',
    unset: 'provider default',
    private:
      'This is a private address. The server only calls it if the system administrator allows it, for example with EGRESS_ALLOW=127.0.0.1:11434.',
    needed: 'Required',
    saved: (name: string) => `${name} saved. Test it to check that it answers.`,
  },
  {
    add: '添加模型',
    edit: '编辑模型',
    save: '保存',
    cancel: '取消',
    provider: '服务商',
    other: '其他',
    name: '名称',
    nameAbout: '智能体和节点用这个名字引用它。',
    address: '接口地址',
    addressAbout: '兼容 OpenAI 聊天接口的基础地址，通常以 /v1 结尾。',
    model: '模型 ID',
    modelAbout: '服务商使用的模型名。',
    key: 'API 密钥',
    keyAbout: '服务商不需要时可以留空。加密保存，之后不再显示。',
    keyKept: '留空则保留已保存的密钥；地址换到另一台服务器时需要重新填写。',
    removeKey: '删除已保存的密钥',
    isDefault: '设为默认模型',
    more: '限制',
    maxTokens: '回答长度上限（token）',
    temperature: '温度（0 到 2）',
    unset: '由服务商决定',
    private: '这是内网地址：只有系统管理员放行后服务器才会访问，例如 EGRESS_ALLOW=127.0.0.1:11434。',
    needed: '请填写',
    saved: (name: string) => `已保存 ${name}，测试一下看它能否回答。`,
  },
)

/** The values of the model form. */
interface ModelFields {
  name: string
  base_url: string
  model: string
  api_key?: string
  remove_key?: boolean
  is_default?: boolean
  max_tokens?: number | null
  temperature?: number | null
}

const fieldsOf = (model: Model): ModelFields => ({
  name: model.name,
  base_url: model.base_url ?? '',
  model: model.model,
  is_default: model.is_default,
  max_tokens: model.max_tokens,
  temperature: model.temperature,
})

const shared = ({ name, base_url, model, is_default }: ModelFields) => ({
  name: name.trim(),
  base_url: base_url.trim(),
  model: model.trim(),
  ...(is_default === true && { is_default }),
})

function createBody(fields: ModelFields): CallInput<'POST /api/v1/model/create'>['body'] {
  const { api_key, max_tokens, temperature } = fields
  return {
    ...shared(fields),
    ...(api_key && { api_key }),
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(typeof temperature === 'number' && { temperature }),
  }
}

/** Null removes a value, omitting it keeps it: an empty key does not remove the stored one. */
function updateBody(model: Model, fields: ModelFields): CallInput<'POST /api/v1/model/update'>['body'] {
  const { api_key, remove_key, is_default, max_tokens, temperature } = fields
  return {
    id: model.id,
    ...shared(fields),
    ...(is_default !== undefined && is_default !== model.is_default && { is_default }),
    ...(api_key ? { api_key } : remove_key ? { api_key: null } : {}),
    max_tokens: max_tokens ?? null,
    temperature: temperature ?? null,
  }
}
