import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input, type InputRef, Modal, Radio } from 'antd'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { type Graph, type GraphNode, makeEdge } from '../../editor/model/graph.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
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

/** Creates a workflow from a template, and opens it. With `id` it gets exactly that one. */
export function CreateDialog({ open, id, onClose }: { open: boolean; id?: string; onClose(): void }) {
  const words = useWords()
  const { latte, americano, mocha, ...rest } = useTemplateWords()
  const [form] = Form.useForm<Values>()
  const first = useRef<InputRef>(null)
  const queries = useQueryClient()
  const showFailure = useFailureToast()
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
    onError: showFailure,
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

type TemplateName = 'answer' | 'knowledge' | 'order' | 'branches'

/** Texts of a template, in the language of the user. */
interface TemplateWords {
  input: string
  model: string
  output: string
  end: string
  answerPrompt: string
  find: string
  knowledgePrompt: string
  order: string
  waiter: string
  drink: string
  drinks: readonly [string, string, string]
  cups: string
  confirmed: string
  topic: string
  complaint: string
  anything: string
  sorry: string
}

const node = (id: string, type: string, data: GraphNode['data']): GraphNode => ({ id, type, data })

const chain = (...ids: string[]) => ids.slice(1).map((to, index) => makeEdge(ids[index]!, to))

const model = (id: string, title: string, prompt: string): GraphNode =>
  node(id, 'base', { type: 'llm', title, desc: '', prompt_template: prompt, '数据源/API工具': [] })

const says = (id: string, title: string, answer: string): GraphNode =>
  node(id, 'base', { type: 'output', title, desc: '', answer })

/** Templates. Each runs as it is, once what it refers to exists. */
function templateGraph(name: TemplateName, words: TemplateWords): Graph {
  const input = node('input', 'base', { type: 'input', title: words.input, desc: '' })
  const end = node('end', 'base', { type: 'end', title: words.end, desc: '' })
  const middle = parts[name](words)
  return { nodes: [input, ...middle.nodes, end], edges: middle.edges }
}

const parts: Readonly<Record<TemplateName, (words: TemplateWords) => Graph>> = {
  answer: words => ({
    nodes: [model('answer', words.model, words.answerPrompt), says('say', words.output, '{{#answer.text#}}')],
    edges: chain('input', 'answer', 'say', 'end'),
  }),
  knowledge: words => ({
    nodes: [
      node('find', 'tool', {
        type: 'knowledge_retrieval',
        title: words.find,
        desc: '',
        query: '{{#sys.query#}}',
        knowledge_ids: [],
        top_k: 5,
      }),
      model('answer', words.model, words.knowledgePrompt),
      says('say', words.output, '{{#answer.text#}}'),
    ],
    edges: chain('input', 'find', 'answer', 'say', 'end'),
  }),
  order: words => ({
    nodes: [
      node('order', 'embody', {
        type: 'multimodal_dialogue_and_information_extractor',
        id: 'order',
        title: words.order,
        desc: '',
        role: words.waiter,
        instruction: words.order,
        parameters: [
          {
            name: 'drink',
            type: 'select',
            description: words.drink,
            options: {
              [words.drinks[0]]: 'latte',
              [words.drinks[1]]: 'americano',
              [words.drinks[2]]: 'mocha',
            },
          },
          { name: 'cups', type: 'number', description: words.cups, required: false, default: 1 },
        ],
      }),
      says('confirm', words.output, words.confirmed),
    ],
    edges: chain('input', 'order', 'confirm', 'end'),
  }),
  branches: words => ({
    nodes: [
      node('topic', 'base', {
        type: 'classifier',
        title: words.topic,
        desc: '',
        query: '{{#sys.query#}}',
        classes: [
          { id: 'complaint', description: words.complaint },
          { id: 'other', description: words.anything },
        ],
      }),
      says('sorry', words.output, words.sorry),
      model('answer', words.model, words.answerPrompt),
      says('say', `${words.output} 2`, '{{#answer.text#}}'),
    ],
    edges: [
      makeEdge('input', 'topic'),
      makeEdge('topic', 'sorry', 'complaint'),
      makeEdge('topic', 'answer', 'other'),
      makeEdge('answer', 'say'),
      makeEdge('sorry', 'end'),
      makeEdge('say', 'end'),
    ],
  }),
}
