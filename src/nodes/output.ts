import type { NodeKind } from '../workflow/node-kind.ts'

/** Speaks to the user. */
export const output: NodeKind = {
  kind: 'output',
  nodeType: 'base',
  title: 'Output',
  fields: { answer: { is: 'text' } },
  templates: ['answer'],
  required: ['answer'],
  outputs: () => ['text', 'result'],
}
