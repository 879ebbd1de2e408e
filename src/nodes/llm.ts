import type { NodeKind } from '../workflow/node-kind.ts'

/** Asks the language model. */
export const llm: NodeKind = {
  kind: 'llm',
  nodeType: 'base',
  title: 'Language model',
  fields: {
    prompt_template: { is: 'text' },
    // Elements have several forms (a knowledge id as a string, objects of several types), so they stay free.
    '数据源/API工具': { is: 'list' },
  },
  templates: ['prompt_template'],
  required: ['prompt_template'],
  outputs: () => ['text', 'result', 'citations', 'usage', 'object'],
}
