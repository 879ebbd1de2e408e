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
