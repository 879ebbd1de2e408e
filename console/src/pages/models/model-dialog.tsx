import { useMutation } from '@tanstack/react-query'
import { App, Form, Modal } from 'antd'
import { call } from '../../api/call.ts'
import { Failure } from '../../ui/failure.tsx'
import { createBody, fieldsOf, type ModelFields, updateBody } from './model-fields.ts'
import { ModelFormItems } from './model-form-items.tsx'
import { useModelFormWords } from './model-form-words.ts'
import { type Model, useRefreshModels } from './use-models.ts'

/** Adds a model, or changes the given one. */
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
