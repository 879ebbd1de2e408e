import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Collapse, Form, type FormInstance, Input, InputNumber, Select } from 'antd'
import { features, type ModelFields, readObject } from './model-form.ts'
import { useModelFormWords } from './model-form-words.ts'
import { type Model, useModels } from './use-models.ts'

interface NumberFieldProps {
  name:
    | 'max_tokens'
    | 'max_output'
    | 'context_length'
    | 'temperature'
    | 'top_p'
    | 'seed'
    | 'input_price'
    | 'output_price'
    | 'frequency_penalty'
    | 'presence_penalty'
  min: number
  max: number
  step?: number
  placeholder?: string
}

function NumberField({ name, min, max, step = 1, placeholder }: NumberFieldProps) {
  const words = useModelFormWords()
  return (
    <Form.Item name={name} label={words[name]}>
      <InputNumber
        {...{ min, max, step }}
        {...(step === 1 && { precision: 0 })}
        placeholder={placeholder ?? words.unset}
        style={{ width: '100%' }}
      />
    </Form.Item>
  )
}

const maxTokens = 100_000_000

function LimitFields() {
  const words = useModelFormWords()
  const efforts = ['minimal', 'low', 'medium', 'high'].map(value => ({ value }))
  return (
    <div className="model-form-pair">
      <NumberField name="max_tokens" min={1} max={maxTokens} />
      <NumberField name="temperature" min={0} max={2} step={0.1} />
      <NumberField name="context_length" min={1} max={maxTokens} placeholder={words.notSet} />
      <NumberField name="max_output" min={1} max={maxTokens} placeholder={words.notSet} />
      <NumberField name="top_p" min={0} max={1} step={0.05} />
      <Form.Item name="reasoning_effort" label={words.effort}>
        <Select allowClear showSearch options={[{ value: '', label: words.unset }, ...efforts]} />
      </Form.Item>
      <NumberField name="frequency_penalty" min={-2} max={2} step={0.1} />
      <NumberField name="presence_penalty" min={-2} max={2} step={0.1} />
      <NumberField name="seed" min={0} max={Number.MAX_SAFE_INTEGER} />
      <Form.Item name="stop" label={words.stop} extra={words.stopAbout}>
        <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[]} />
      </Form.Item>
    </div>
  )
}

function HeaderFields() {
  const words = useModelFormWords()
  const form = Form.useFormInstance()
  const isStored = (at: number): boolean => form.getFieldValue(['headers', at, 'isStored']) === true
  return (
    <Form.List name="headers">
      {(fields, { add, remove }) => (
        <fieldset className="model-headers">
          <legend>{words.headers}</legend>
          {fields.map(({ key, name }) => (
            <div key={key} className="model-header">
              <Form.Item name={[name, 'name']} noStyle>
                <Input aria-label={words.headerName} placeholder="api-key" disabled={isStored(name)} />
              </Form.Item>
              <Form.Item name={[name, 'value']} noStyle>
                <Input.Password
                  aria-label={words.headerValue}
                  autoComplete="new-password"
                  placeholder={isStored(name) ? words.headerKept : ''}
                />
              </Form.Item>
              <Button
                type="text"
                aria-label={words.removeHeader}
                icon={<DeleteOutlined />}
                onClick={() => remove(name)}
              />
            </div>
          ))}
          <p className="soft small">{words.headersAbout}</p>
          <Button size="small" icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
            {words.addHeader}
          </Button>
        </fieldset>
      )}
    </Form.List>
  )
}

function RequestFields() {
  const words = useModelFormWords()
  const isObject = (_: unknown, text: string | undefined): Promise<void> =>
    !text?.trim() || readObject(text) ? Promise.resolve() : Promise.reject(new Error(words.notObject))
  return (
    <>
      <HeaderFields />
      <Form.Item
        name="extra_body"
        label={words.extraBody}
        extra={words.extraBodyAbout}
        rules={[{ validator: isObject }]}
      >
        <Input.TextArea rows={3} className="mono" spellCheck={false} />
      </Form.Item>
    </>
  )
}

function AbilityFields({ model }: { model: Model | undefined }) {
  const words = useModelFormWords()
  const models = useModels()
  const others = models.data?.filter(({ type, name }) => type === 'chat' && name !== model?.name) ?? []
  const options = [
    { value: '', label: words.automatic },
    { value: 'yes', label: words.yes },
    { value: 'no', label: words.no },
  ]
  return (
    <>
      <p className="soft small">{words.supportsAbout}</p>
      <div className="model-form-features">
        {features.map(name => (
          <Form.Item key={name} name={['supports', name]} label={words[name]}>
            <Select options={options} placeholder={words.automatic} />
          </Form.Item>
        ))}
      </div>
      <div className="model-form-pair">
        <NumberField name="input_price" min={0} max={1_000_000} step={0.01} placeholder={words.notSet} />
        <NumberField name="output_price" min={0} max={1_000_000} step={0.01} placeholder={words.notSet} />
      </div>
      <Form.Item name="fallbacks" label={words.fallbacks} extra={words.fallbacksAbout}>
        <Select mode="multiple" maxCount={5} options={others.map(({ name }) => ({ value: name }))} />
      </Form.Item>
    </>
  )
}

/** The key of the section with the request. */
export const requestSection = 'request'

interface AdvancedFieldsProps {
  model: Model | undefined
  form: FormInstance<ModelFields>
  /** The keys of the sections that are unfolded. */
  shown: readonly string[]
  onShow: (keys: string[]) => void
}

/** Settings that most models work without, folded. Only chat models have all of them. */
export function AdvancedFields({ model, form, shown, onShow }: AdvancedFieldsProps) {
  const words = useModelFormWords()
  const isChat = (Form.useWatch('type', form) ?? model?.type ?? 'chat') === 'chat'
  const sections = [
    { key: 'limits', label: words.limits, children: <LimitFields />, forceRender: true },
    { key: requestSection, label: words.request, children: <RequestFields />, forceRender: true },
    {
      key: 'abilities',
      label: words.abilities,
      children: <AbilityFields model={model} />,
      forceRender: true,
    },
  ]
  return (
    <Collapse
      ghost
      size="small"
      className="model-form-more"
      activeKey={[...shown]}
      onChange={onShow}
      items={isChat ? sections : sections.filter(({ key }) => key === requestSection)}
    />
  )
}
