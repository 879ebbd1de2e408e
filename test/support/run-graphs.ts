import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import { edge, extractorKind, graph, node } from '../workflow/graphs.ts'

type Data = Record<string, unknown>

export const llm = (id: string, prompt: string, more: Data = {}): GraphNode =>
  node(id, 'llm', { prompt_template: prompt, '数据源/API工具': [], ...more })

export const output = (id: string, answer: string): GraphNode => node(id, 'output', { answer })

/** A chain of nodes between an input and an end. */
export function chain(...between: GraphNode[]): Graph {
  const nodes = [node('input', 'input'), ...between, node('end', 'end')]
  return graph(
    nodes,
    nodes.slice(1).map(({ id }, at) => edge(nodes[at]!.id, id)),
  )
}

/** Outputs the answer of the model to the question. */
export const echoGraph = (more: Data = {}): Graph =>
  chain(llm('model', '{{#sys.query#}}', more), output('say', 'A: {{#model.text#}}'))

/** Takes an order for a coffee: the drink and its size. */
export const coffeeGraph = (): Graph =>
  chain(
    node('order', extractorKind, {
      id: 'order',
      parameters: [
        {
          name: 'beverage',
          type: 'select',
          description: '咖啡口味选择',
          options: { 美式: 'Americano', 拿铁: 'Latte' },
        },
        { name: 'size', type: 'select', description: '杯型', options: { 中杯: 'medium', 大杯: 'large' } },
      ],
      instruction: '帮助用户点一杯咖啡',
      role: '咖啡店店员',
    }),
    output('say', '{{#order.beverage#}}/{{#order.size#}}'),
  )
