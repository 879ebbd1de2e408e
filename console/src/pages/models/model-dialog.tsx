import { useMutation } from '@tanstack/react-query'
import { Alert, App, AutoComplete, Button, Checkbox, Form, type FormInstance, Input, Select } from 'antd'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { AdvancedFields, requestSection } from './model-advanced-fields.tsx'
import { createBody, fieldsOf, type ModelFields, newFields, testBody, updateBody } from './model-form.ts'
import { useModelFormWords } from './model-form-words.ts'
import { modelProviders } from './model-providers.ts'
import { ModelTestResult, type Tested } from './model-test-result.tsx'
import { useTypeWords } from './model-words.ts'
import { type Model, modelTypes, useRefreshModels } from './use-models.ts'

/** Tests a model, then saves it; one that fails its test is saved only if the user insists. */
function useSave(model: Model | undefined, onClose: () => void) {
  const words = useModelFormWords()
  const { message } = App.useApp()
  const refresh = useRefreshModels()
  const [tested, setTested] = useState<Tested>()
  const test = useMutation({
    mutationFn: (fields: ModelFields) => call('POST /api/v1/model/test', { body: testBody(model, fields) }),
    onMutate: () => setTested(undefined),
    onSuccess: setTested,
  })
  const save = useMutation({
    mutationFn: async (fields: ModelFields) => {
      if (tested?.ok !== false && !(await test.mutateAsync(fields)).ok) return undefined
      return model
        ? call('POST /api/v1/model/update', { body: updateBody(model, fields) })
        : call('POST /api/v1/model/create', { body: createBody(fields) })
    },
    onSuccess: async saved => {
      if (!saved) return
      await refresh()
      message.success(words.saved(saved.name))
      onClose()
    },
  })
  return { test, save, tested, forget: () => setTested(undefined) }
}

/** Adds a model, or edits the given one. */
export function ModelDialog({ model, onClose }: { model: Model | undefined; onClose: () => void }) {
  const words = useModelFormWords()
  const [form] = Form.useForm<ModelFields>()
  const { test, save, tested, forget } = useSave(model, onClose)
  const [shown, setShown] = useState<string[]>([])
  /** A field with a problem must not stay folded. */
  const showProblem = (): void => {
    if (form.getFieldError('extra_body').length > 0) flushSync(() => setShown([...shown, requestSection]))
  }
  const refuseTest = ({ errorFields }: { errorFields: { name: string[] }[] }): void => {
    showProblem()
    if (errorFields[0]) form.scrollToField(errorFields[0].name, { focus: true })
  }
  const testNow = (): void =>
    void form.validateFields().then(() => test.mutate(form.getFieldsValue(true) as ModelFields), refuseTest)
  const error = save.error ?? test.error
  return (
    <Dialog
      open
      width={640}
      title={model ? words.edit : words.add}
      onCancel={onClose}
      footer={[
        <Button
          key="test"
          style={{ float: 'left' }}
          loading={test.isPending && !save.isPending}
          onClick={testNow}
        >
          {words.test}
        </Button>,
        <Button key="cancel" onClick={onClose}>
          {words.cancel}
        </Button>,
        <Button key="save" type="primary" htmlType="submit" form="model" loading={save.isPending}>
          {tested?.ok === false ? words.saveAnyway : words.save}
        </Button>,
      ]}
    >
      <Form
        form={form}
        layout="vertical"
        name="model"
        requiredMark={false}
        initialValues={model ? fieldsOf(model) : newFields}
        onFinish={() => save.mutate(form.getFieldsValue(true) as ModelFields)}
        onFinishFailed={showProblem}
        onValuesChange={forget}
      >
        <ModelFormItems form={form} model={model} />
        <AdvancedFields model={model} form={form} shown={shown} onShow={setShown} />
      </Form>
      {(error || tested) && (
        <div ref={bringIntoSight}>
          {error && <Failure error={error} />}
          {tested && <ModelTestResult tested={tested} />}
        </div>
      )}
    </Dialog>
  )
}

/** The result is below the fields, which scroll. */
const bringIntoSight = (result: HTMLElement | null): void => result?.scrollIntoView({ block: 'nearest' })

const isPrivate = (address: string | undefined): boolean =>
  /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\])/i.test(address ?? '')

const hostOf = (address: string): string => /^https?:\/\/([^/?#]+)/i.exec(address)?.[1] ?? address

function ProviderField({ form }: { form: FormInstance<ModelFields> }) {
  const words = useModelFormWords()
  const isChinese = useLanguage() === 'zh'
  const choose = (id: string): void => {
    const provider = modelProviders.find(each => each.id === id)
    const isChat = form.getFieldValue('type') === 'chat'
    form.setFieldsValue({ base_url: provider?.baseUrl ?? '', model: (isChat && provider?.model) || '' })
    if (provider && !form.getFieldValue('name')) form.setFieldValue('name', provider.id)
    if (id === 'azure') form.setFieldValue('headers', [{ name: 'api-key' }])
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
        virtual={false}
        options={[...options, { value: '', label: words.other }]}
        onChange={choose}
      />
    </Form.Item>
  )
}

function TypeField() {
  const words = useModelFormWords()
  const types = useTypeWords()
  return (
    <Form.Item name="type" label={words.type}>
      <Select
        autoFocus
        aria-label={words.type}
        options={modelTypes.map(value => ({ value, label: types[value] }))}
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

interface FormItemsProps {
  form: FormInstance<ModelFields>
  model: Model | undefined
}

/** The name of the model at its provider, which may have a list. */
function ModelIdField({ form, model }: FormItemsProps) {
  const words = useModelFormWords()
  const load = useMutation({
    mutationFn: () => {
      const fields = form.getFieldsValue(true) as ModelFields
      return call('POST /api/v1/model/discover', { body: testBody(model, fields) })
    },
  })
  const address = Form.useWatch('base_url', form)
  const choose = (id: string): void => {
    const length = load.data?.models.find(each => each.id === id)?.context_length
    if (length) form.setFieldValue('context_length', length)
  }
  const suggested = useRef('')
  /** The name is suggested until the user types another. */
  const follow = (id: string): void => {
    const name = form.getFieldValue('name')
    if (model || (name && name !== suggested.current)) return
    form.setFieldValue('name', id)
    suggested.current = id
  }
  const isFixed = model?.type === 'embedding'
  return (
    <>
      <Form.Item
        name="model"
        label={words.model}
        extra={load.data ? words.loaded(load.data.models.length) : words.modelAbout}
        rules={[{ required: true, whitespace: true, message: words.needed }]}
      >
        <AutoComplete
          disabled={isFixed}
          placeholder="gpt-4o-mini"
          options={(load.data?.models ?? []).map(({ id }) => ({ value: id }))}
          showSearch={{
            filterOption: (typed, option) =>
              option?.value.toLowerCase().includes(typed.toLowerCase()) ?? false,
          }}
          onSelect={choose}
          onChange={follow}
        />
      </Form.Item>
      <Button
        size="small"
        className="model-load"
        disabled={!address?.trim() || isFixed}
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {words.load}
      </Button>
      {load.isError && <Failure error={load.error} />}
    </>
  )
}

function ModelFormItems({ form, model }: FormItemsProps) {
  const words = useModelFormWords()
  const address = Form.useWatch('base_url', form)
  const rules = [{ required: true, whitespace: true, message: words.needed }]
  return (
    <>
      {!model && (
        <div className="model-form-pair">
          <TypeField />
          <ProviderField form={form} />
        </div>
      )}
      <Form.Item name="base_url" label={words.address} extra={words.addressAbout} rules={rules}>
        <Input inputMode="url" placeholder="https://api.openai.com/v1" />
      </Form.Item>
      {isPrivate(address) && (
        <Alert type="warning" showIcon title={words.private(hostOf(address))} className="form-note" />
      )}
      <KeyField model={model} />
      <div className="model-form-pair">
        <div>
          <ModelIdField form={form} model={model} />
        </div>
        <Form.Item name="name" label={words.name} extra={words.nameAbout} rules={rules}>
          <Input placeholder="fast" />
        </Form.Item>
      </div>
      <Form.Item name="is_default" valuePropName="checked" style={{ marginBottom: 8 }}>
        <Checkbox>{words.isDefault}</Checkbox>
      </Form.Item>
    </>
  )
}
