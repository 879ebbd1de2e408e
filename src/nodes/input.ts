import type { NodeKind } from '../workflow/node-kind.ts'

/** Takes what the user said and sent. */
export const input: NodeKind<unknown> = {
  kind: 'input',
  nodeType: 'base',
  title: 'Input',
  fields: {},
  required: [],
  outputs: () => ['query', 'text', 'result', 'files', 'inputs'],
  run({ system: { query, files, inputs } }) {
    return { outputs: { query, text: query, result: query, files, inputs } }
  },
}
