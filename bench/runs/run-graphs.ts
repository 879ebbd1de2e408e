import { type Graph, type GraphNode, sourcePort, targetPort } from '../../src/workflow/graph.ts'

const node = (id: string, data: object = {}): GraphNode => ({ id, type: 'base', data: { type: id, ...data } })

/** A graph of nodes in sequence. */
function chain(...nodes: GraphNode[]): Graph {
  const edges = nodes.slice(1).map(({ id }, at) => {
    const from = nodes[at]!.id
    return { source: { cell: from, port: sourcePort(from) }, target: { cell: id, port: targetPort(id) } }
  })
  return { nodes, edges }
}

/** The smallest graph with a message. */
export const echoGraph = chain(
  node('input'),
  node('output', { answer: 'You said: {{#input.query#}}' }),
  node('end'),
)

/** The echo with one more node, which trims the text. */
const withStep = (data: object): Graph =>
  chain(
    node('input'),
    { id: 'step', type: 'tool', data: { type: 'code', ...data } },
    node('output', { answer: 'You said: {{#step.text#}}' }),
    node('end'),
  )

const inputs = { query: '{{#input.query#}}' }

/** Graphs by the kind of their second node. */
export const stepGraphs = {
  template: withStep({ type: 'template', template: '{{#input.query#}}' }),
  javascript: withStep({ inputs, code: 'function main({ query }) { return { text: query.trim() } }' }),
  python: withStep({
    inputs,
    language: 'python',
    code: 'def main(query):\n    return {"text": query.strip()}',
  }),
}

export const modelGraph = chain(
  node('input'),
  node('llm', { prompt_template: '{{#input.query#}}' }),
  node('output', { answer: '{{#llm.text#}}' }),
  node('end'),
)
