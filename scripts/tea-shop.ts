const node = (id: string, type: string, kind: string, title: string, data: object = {}) => ({
  id,
  type,
  data: { type: kind, title, desc: '', ...data },
})
const edge = (from: string, to: string, branch?: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(branch && { data: { case: branch } }),
})

/** A workflow for screenshots with a branch, a model and a code node; without positions. */
export const teaShop = {
  nodes: [
    node('input', 'base', 'input', 'Guest'),
    node('topic', 'base', 'condition', 'What is it about?', {
      cases: [
        { id: 'order', when: [{ left: '{{#sys.query#}}', op: 'contains', right: 'tea' }] },
        { id: 'question', when: [] },
      ],
    }),
    node('count', 'tool', 'code', 'Cups', {
      inputs: { text: '{{#sys.query#}}' },
      code: 'function main({ text }) { return { cups: / two/.test(text) ? 2 : 1 } }',
    }),
    node('serve', 'base', 'llm', 'Take the order', {
      prompt_template: 'Take this order for {{#count.cups#}} cup(s): {{#sys.query#}}',
      '数据源/API工具': [],
    }),
    node('reply', 'base', 'llm', 'Answer the question', {
      prompt_template: 'Answer as a tea shop: {{#sys.query#}}',
      '数据源/API工具': [],
    }),
    node('bring', 'base', 'output', 'Bring it', { answer: '{{#serve.text#}}' }),
    node('say', 'base', 'output', 'Say it', { answer: '{{#reply.text#}}' }),
    node('end', 'base', 'end', 'End'),
  ],
  edges: [
    edge('input', 'topic'),
    edge('topic', 'count', 'order'),
    edge('count', 'serve'),
    edge('serve', 'bring'),
    edge('topic', 'reply', 'question'),
    edge('reply', 'say'),
    edge('bring', 'end'),
    edge('say', 'end'),
  ],
}
