import { type Graph, type GraphNode, sourcePort, targetPort } from '../../src/workflow/graph.ts'

const node = (id: string, data: object = {}): GraphNode => ({ id, type: 'base', data: { type: id, ...data } })

/** One after the other, each node with the name of its kind. */
function chain(...nodes: GraphNode[]): Graph {
  const edges = nodes.slice(1).map(({ id }, at) => {
    const from = nodes[at]!.id
    return { source: { cell: from, port: sourcePort(from) }, target: { cell: id, port: targetPort(id) } }
  })
  return { nodes, edges }
}

/** The smallest one that says something. */
export const echoGraph = chain(
  node('input'),
  node('output', { answer: 'You said: {{#input.query#}}' }),
  node('end'),
)

export const modelGraph = chain(
  node('input'),
  node('llm', { prompt_template: '{{#input.query#}}' }),
  node('output', { answer: '{{#llm.text#}}' }),
  node('end'),
)
