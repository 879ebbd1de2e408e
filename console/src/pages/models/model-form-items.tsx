import { Alert, Checkbox, Form, type FormInstance, Input, InputNumber, Select } from 'antd'
import { useLanguage } from '../../ui/preferences.ts'
import type { ModelFields } from './model-fields.ts'
import { useModelFormWords } from './model-form-words.ts'
import { modelProviders } from './model-providers.ts'
import type { Model } from './use-models.ts'

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

export function ModelFormItems({
  form,
  model,
}: {
  form: FormInstance<ModelFields>
  model: Model | undefined
}) {
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
