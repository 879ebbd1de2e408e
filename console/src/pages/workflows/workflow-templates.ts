import { type Graph, type GraphNode, makeEdge } from '../../editor/model/graph.ts'

export type TemplateName = 'answer' | 'knowledge' | 'order' | 'branches'

/** What a template says, in the language of whoever makes the workflow. */
export interface TemplateWords {
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

/** Graphs to begin with. Each runs as it is, once what it names is there. */
export function templateGraph(name: TemplateName, words: TemplateWords): Graph {
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
