import type { KindShape } from '../../../../../src/contract/kind-operations.ts'

/** Props of every input in a node's form. */
export interface InputProps {
  shape: KindShape
  value: unknown
  /** Undefined removes the field. */
  onChange(value: unknown): void
  /** JSON pointer below the node's data, as in findings. */
  pointer: string
  /** The visible label. */
  label: string
}
