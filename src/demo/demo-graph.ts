import { type Graph, type GraphNode, sourcePort, targetPort } from '../workflow/graph.ts'

const node = (id: string, type: string, data: Record<string, unknown>): GraphNode => ({
  id,
  type,
  data: { desc: '', ...data },
})

const edge = (from: string, to: string, chosen?: string) => ({
  source: { cell: from, port: sourcePort(from) },
  target: { cell: to, port: targetPort(to) },
  ...(chosen !== undefined && { data: { case: chosen } }),
})

/** Looks into the knowledge base, and lets a model answer from what it found where there is one. */
export const demoGraph = (knowledgeId: string): Graph => ({
  nodes: [
    node('input', 'base', { type: 'input', title: '提问 Question' }),
    node('retrieve', 'tool', {
      type: 'knowledge_retrieval',
      title: '查文档 Look it up',
      query: '{{#sys.query#}}',
      knowledge_ids: [knowledgeId],
      top_k: 4,
    }),
    node('has_model', 'base', {
      type: 'condition',
      title: '有模型吗 Is there a model?',
      cases: [{ id: 'yes', when: [{ left: '{{#sys.model#}}', op: 'not_empty' }] }, { id: 'no' }],
    }),
    node('answer', 'base', {
      type: 'llm',
      title: '回答 Answer',
      system_prompt:
        'You answer questions about Banyan, an agent platform, in the language of the question, briefly and only from the passages below. Cite them as [1]. If they do not hold the answer, say so.\n\n{{#retrieve.result#}}',
      prompt_template: '{{#sys.query#}}',
      history_turns: 5,
      '数据源/API工具': [],
    }),
    node('say', 'base', { type: 'output', title: '说出 Say it', answer: '{{#answer.text#}}' }),
    node('show', 'base', {
      type: 'output',
      title: '列出原文 Show the passages',
      answer:
        '{{#retrieve.result#}}\n\n---\n以上是文档中找到的原文。还没有配置模型：设置 MODEL_BASE_URL、MODEL_NAME（以及 MODEL_API_KEY）并重新启动，就会由模型来回答。\nThese are the passages I found. No model is configured yet: set MODEL_BASE_URL, MODEL_NAME (and MODEL_API_KEY) and start again, and a model will answer.',
    }),
    node('end', 'base', { type: 'end', title: '结束 End' }),
  ],
  edges: [
    edge('input', 'retrieve'),
    edge('retrieve', 'has_model'),
    edge('has_model', 'answer', 'yes'),
    edge('has_model', 'show', 'no'),
    edge('answer', 'say'),
    edge('say', 'end'),
    edge('show', 'end'),
  ],
})
