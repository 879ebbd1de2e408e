import type { NodeKind } from '../workflow/node-kind.ts'

/** Takes what the user said and sent. */
export const input: NodeKind = {
  kind: 'input',
  nodeType: 'base',
  title: 'Input',
  fields: {},
  templates: [],
  required: [],
  outputs: () => ['query', 'text', 'result', 'files'],
}
