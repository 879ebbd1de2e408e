import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input, type InputRef, Radio } from 'antd'
import { useMemo, useRef } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { templatesIn } from './templates.ts'

const useWords = defineWords(
  { title: 'New workflow', name: 'Name', needed: 'Enter a name', start: 'Template', create: 'Create' },
  { title: '新建工作流', name: '名称', needed: '请填写名称', start: '模板', create: '创建' },
)

interface Values {
  name: string
  template: string
}

/** Creates a workflow from a template, and opens it. With `id` the workflow gets exactly that id. */
export function CreateDialog({ open, id, onClose }: { open: boolean; id?: string; onClose(): void }) {
  const words = useWords()
  const language = useLanguage()
  const templates = useMemo(() => templatesIn(language), [language])
  const [form] = Form.useForm<Values>()
  const first = useRef<InputRef>(null)
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const creating = useMutation({
    mutationFn: async ({ name, template }: Values): Promise<string> => {
      const { content = '' } = templates.find(({ key }) => key === template) ?? {}
      const given = id === undefined ? {} : { id }
      const body = { content, name: name.trim(), ...given }
      return (await call('POST /api/v1/workflow/import', { body })).id
    },
    onSuccess: async made => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      await queries.invalidateQueries({ queryKey: ['agents'] })
      await queries.invalidateQueries({ queryKey: ['workflow-editor', made] })
      navigate(pathTo('workflows', made))
    },
    onError: showFailure,
  })
  return (
    <Dialog
      open={open}
      title={words.title}
      okText={words.create}
      confirmLoading={creating.isPending}
      okButtonProps={{ htmlType: 'submit', form: 'new-workflow' }}
      onCancel={onClose}
      destroyOnHidden
      afterOpenChange={isOpen => isOpen && first.current?.focus()}
    >
      <Form
        form={form}
        name="new-workflow"
        layout="vertical"
        preserve={false}
        initialValues={{ name: id ?? '', template: templates[0]?.key }}
        requiredMark={false}
        onFinish={values => creating.mutate(values)}
      >
        <Form.Item
          name="name"
          label={words.name}
          rules={[{ required: true, whitespace: true, message: words.needed }]}
        >
          <Input ref={first} maxLength={200} />
        </Form.Item>
        <Form.Item name="template" label={words.start}>
          <Radio.Group className="template-choice" aria-label={words.start}>
            {templates.map(({ key, name, about }) => (
              <Radio key={key} value={key}>
                <span>{name}</span>
                <span className="soft small">{about}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
      </Form>
    </Dialog>
  )
}
