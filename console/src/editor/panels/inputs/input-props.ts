import type { KindShape } from '../../../../../src/contract/kind-operations.ts'

/** What every input of a node's form is handed. */
export interface InputProps {
  shape: KindShape
  value: unknown
  /** Undefined takes the field away. */
  onChange(value: unknown): void
  /** JSON pointer below the data of the node, as findings name it. */
  pointer: string
  /** What people call it. */
  label: string
}
