import type { NodeKind } from '../workflow/node-kind.ts'

/**
 * Closes the run. What the engine gathers here are the outputs of the run, so no node can refer to them and the node
 * itself gives nothing.
 */
export const end: NodeKind<unknown> = {
  kind: 'end',
  nodeType: 'base',
  title: 'End',
  fields: {},
  required: [],
  outputs: () => [],
  gathers: true,
  run: () => ({ outputs: {} }),
}
