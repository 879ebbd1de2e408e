type Data = Record<string, unknown>

const node = (id: string, type: string, kind: string, data: Data): object => ({
  id,
  type,
  position: { x: 120, y: 240 },
  data: { type: kind, title: id, desc: '', ...data },
})

const link = (from: string, to: string): object => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})

const stampWidth = 20
const path = ['input', 'order', 'search', 'summary', 'answer', 'speak', 'farewell', 'end']

/** A graph of 8 nodes and about 2 kB. Another stamp makes another graph of the same size. */
export function sampleGraph(stamp: string): string {
  const nodes = [
    node('input', 'base', 'input', { stamp: stamp.padEnd(stampWidth, '-') }),
    node('order', 'embody', 'multimodal_dialogue_and_information_extractor', {
      parameters: [{ name: 'size', type: 'select', description: '杯型', options: { 大杯: 'L', 中杯: 'M' } }],
      instruction: 'Find out what {{#sys.query#}} asks for.',
    }),
    node('search', 'tool', 'web_search', { query: '{{#order.size#}} {{#input.query#}}' }),
    node('summary', 'base', 'llm', {
      prompt_template: 'Sum up what was found, in a few plain sentences: {{#search.result#}}',
      '数据源/API工具': [],
    }),
    node('answer', 'base', 'llm', {
      prompt_template: 'Answer {{#input.query#}} by {{#summary.text#}}',
      '数据源/API工具': [],
    }),
    node('speak', 'base', 'output', { answer: '{{#answer.text#}}' }),
    node('farewell', 'base', 'output', { answer: 'Enjoy your {{#order.size#}} cup!' }),
    node('end', 'base', 'end', {}),
  ]
  const edges = path.slice(1).map((to, at) => link(path[at]!, to))
  return JSON.stringify({ nodes, edges })
}

export const sampleNodes = path.length

export const workflowId = (number: number): string => `wf_${String(number).padStart(6, '0')}`
