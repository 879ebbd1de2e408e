import type { KindRegistry, NodeKind } from '../../src/workflow/node-kind.ts'

/** A kind that chooses one of the cases in `data.cases`, like the branching kinds. */
export const branchingKind: NodeKind = {
  kind: 'branch',
  nodeType: 'base',
  fields: {},
  required: [],
  outputs: () => ['case'],
  run: () => ({ outputs: {} }),
  cases: data => (Array.isArray(data['cases']) ? data['cases'] : undefined),
}

export const withBranching = (kinds: KindRegistry): KindRegistry =>
  new Map([...kinds, ['branch', branchingKind]])
