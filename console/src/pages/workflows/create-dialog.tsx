import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input, type InputRef, Modal, Radio } from 'antd'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { defineWords } from '../../ui/words.ts'
import { type TemplateName, templateGraph } from './workflow-templates.ts'
import { useTemplateWords } from './workflow-words.ts'

const useWords = defineWords(
  {
    title: 'New workflow',
    name: 'Name',
    needed: 'Enter a name',
    start: 'Template',
    create: 'Create',
    answer: 'Model answer',
    answerAbout: 'Input → model → reply → end. Runs immediately and is a good starting point.',
    knowledge: 'Knowledge answer',
    knowledgeAbout:
      'Searches knowledge bases and cites the sources. Choose the knowledge bases in the node’s settings.',
    order: 'Coffee order',
    orderAbout: 'Asks until the drink and the number of cups are known.',
    branches: 'Branches',
    branchesAbout: 'A model classifies the message; complaints take another branch.',
  },
  {
    title: '新建工作流',
    name: '名称',
    needed: '请填写名称',
    start: '模板',
    create: '创建',
    answer: '由模型回答',
    answerAbout: '输入 → 模型 → 回复 → 结束。可以直接运行，也适合在此基础上扩展。',
    knowledge: '根据知识库回答',
    knowledgeAbout: '检索知识库并注明出处。请在节点设置里选择知识库。',
    order: '咖啡点单',
    orderAbout: '通过对话逐步问清饮品和杯数。',
    branches: '分支',
    branchesAbout: '由模型判断用户的意图，投诉走另一个分支。',
  },
)

const templates: TemplateName[] = ['answer', 'knowledge', 'order', 'branches']

interface Values {
  name: string
  template: TemplateName
}

/** Makes a workflow that already does something, and opens it. With `id` it gets exactly that one. */
export function CreateDialog({ open, id, onClose }: { open: boolean; id?: string; onClose(): void }) {
  const words = useWords()
  const { latte, americano, mocha, ...rest } = useTemplateWords()
  const [form] = Form.useForm<Values>()
  const first = useRef<InputRef>(null)
  const queries = useQueryClient()
  const tellFailure = useTellFailure()
  const creating = useMutation({
    mutationFn: async ({ name, template }: Values): Promise<string> => {
      const workflow = templateGraph(template, { ...rest, drinks: [latte, americano, mocha] })
      if (id === undefined)
        return (await call('POST /api/v1/workflow/create', { body: { name: name.trim(), workflow } })).id
      const headers = { 'if-none-match': '*' }
      await call('POST /api/v1/workflow/update', { body: { id, name: name.trim(), workflow }, headers })
      return id
    },
    onSuccess: async made => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      await queries.invalidateQueries({ queryKey: ['workflow-editor', made] })
      navigate(pathTo('workflows', made))
    },
    onError: tellFailure,
  })
  return (
    <Modal
      open={open}
      title={words.title}
      okText={words.create}
      confirmLoading={creating.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
      afterOpenChange={isOpen => isOpen && first.current?.focus()}
    >
      <Form
        form={form}
        layout="vertical"
        preserve={false}
        initialValues={{ name: id ?? '', template: 'answer' }}
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
            {templates.map(name => (
              <Radio key={name} value={name}>
                <span>{words[name]}</span>
                <span className="soft small">{words[`${name}About`]}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
      </Form>
    </Modal>
  )
}
