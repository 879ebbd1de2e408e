import type { NodeKind } from '../workflow/node-kind.ts'

/** Closes the run. What it gathers are the outputs of the run, so no node can refer to them. */
export const end: NodeKind = {
  kind: 'end',
  nodeType: 'base',
  title: 'End',
  fields: {},
  templates: [],
  required: [],
  outputs: () => [],
}
