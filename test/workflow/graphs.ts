import type { Graph, GraphEdge, GraphNode } from '../../src/workflow/graph.ts'

type Data = Record<string, unknown>

export const extractorKind = 'multimodal_dialogue_and_information_extractor'

export const node = (id: string, kind: string, data: Data = {}): GraphNode => ({
  id,
  type: 'base',
  data: { type: kind, ...data },
})

export const edge = (source: string, target: string, edgeCase?: string): GraphEdge => ({
  source: { cell: source, port: `out.${source}` },
  target: { cell: target, port: `in.${target}` },
  ...(edgeCase === undefined ? {} : { data: { case: edgeCase } }),
})

export const graph = (nodes: GraphNode[], edges: GraphEdge[] = []): Graph => ({ nodes, edges })

/** A graph that uses all six kinds and runs without a warning. */
export const orderingGraph = (): Graph =>
  graph(
    [
      node('input', 'input', { title: '输入', desc: '' }),
      node('drink', extractorKind, {
        id: 'drink',
        parameters: [
          { name: 'size', type: 'select', description: '杯型', options: { 大杯: 'L', 中杯: 'M' } },
        ],
        instruction: 'Ask for {{#sys.query#}}',
        role: '店员',
      }),
      node('search', 'web_search', { query: '{{#drink.size#}} {{#input.query#}}' }),
      node('model', 'llm', {
        prompt_template: '{{#search.result#}} {{#memory.name#}}',
        '数据源/API工具': [],
      }),
      node('speak', 'output', { answer: '{{#model.text#}}' }),
      node('end', 'end'),
    ],
    [
      edge('input', 'drink'),
      edge('drink', 'search'),
      edge('search', 'model'),
      edge('model', 'speak'),
      edge('speak', 'end'),
    ],
  )

/** One complete node of each kind that needs no model, without edges. */
export const furtherNodes = (): GraphNode[] => [
  node('find', 'knowledge_retrieval', {
    query: '{{#sys.query#}}',
    knowledge_ids: ['kb_1', '{{#sys.inputs.base#}}'],
    top_k: 5,
    mode: 'hybrid',
    score_threshold: 0.5,
  }),
  node('choose', 'condition', {
    cases: [
      {
        id: 'long',
        match: 'any',
        when: [
          { left: '{{#sys.query#}}', op: 'contains', right: 'long' },
          { left: '{{#sys.files#}}', op: 'not_empty' },
        ],
      },
      { id: 'else' },
    ],
  }),
  node('write', 'template', { template: 'You said {{#sys.query#}}' }),
  node('call', 'http_request', {
    method: 'POST',
    url: 'https://api.example/{{#sys.user_id#}}',
    headers: { 'X-Query': '{{#sys.run_id#}}' },
    query: { page: 1 },
    body: { words: ['{{#sys.query#}}'] },
  }),
  node('remember', 'variable', { assign: { name: '{{#sys.query#}}' } }),
  node('each', 'iteration', { items: '{{#sys.files#}}', workflow_id: 'wf_1', parallel: 2 }),
  node('other', 'workflow', { workflow_id: 'wf_1', inputs: { query: '{{#sys.query#}}' }, speaks: false }),
  node('ask', 'question', { question: 'Sure?', options: ['yes', 'no'] }),
  node('act', 'action', { content: '{"do": "{{#sys.query#}}"}' }),
  node('join', 'aggregator', {
    values: ['{{#write.text#}}', '{{#sys.query#}}'],
    groups: [{ name: 'both', values: ['{{#sys.query#}}'] }],
  }),
  node('pick', 'list', {
    items: '{{#sys.files#}}',
    match: 'any',
    where: [{ field: 'name', op: 'contains', right: '{{#sys.query#}}' }],
    sort: { field: 'size', order: 'desc' },
    start: 0,
    limit: '{{#sys.inputs.limit#}}',
  }),
  node('again', 'loop', {
    workflow_id: 'wf_1',
    inputs: { query: '{{#sys.query#}}' },
    variables: { draft: '{{#sys.query#}}' },
    until: {
      match: 'any',
      when: [{ left: '{{#loop.draft#}}', op: 'equals', right: '{{#loop.index#}} {{#sys.query#}}' }],
    },
    max_rounds: 3,
  }),
  node('read', 'document_extractor', { files: ['{{#sys.files#}}'] }),
  node('render', 'template', {
    syntax: 'jinja2',
    template: '{% for name in names %}{{ name }}{% endfor %}',
    inputs: { names: '{{#sys.inputs.names#}}' },
  }),
]
