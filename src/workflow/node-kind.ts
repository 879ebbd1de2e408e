import type { JsonRecord } from './json-record.ts'
import type { Fields } from './shape.ts'

// A kind reads `data` with these; node-kind.ts is the one file of this room that kinds import.
export { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'

/** Something that must be set before a node can run: where in `data`, and what to do about it. */
export interface Gap {
  /** Keys from `data` down to the place. */
  readonly place: readonly (string | number)[]
  readonly message: string
}

/**
 * The port that every kind of node fills in: one kind, one file, one line in the registry. The graph checks
 * know kinds only through it. `data` is what the client sent, so every method must bear any JSON object.
 */
export interface NodeKind {
  /** The value of `data.type`. */
  readonly kind: string
  /** The category the kind is seen with; a graph that says otherwise is kept as it is. */
  readonly nodeType: 'base' | 'tool' | 'embody'
  /** What people call it. */
  readonly title?: string
  /** Known fields of `data` besides `type`, `title` and `desc`; other fields are kept unread. */
  readonly fields: Fields
  /** Names of the text fields whose references are replaced when the node runs. */
  readonly templates: readonly string[]
  /** Fields that must be set before it can run; blank text and empty lists or objects count as not set. */
  readonly required: readonly string[]
  /** What must be set deeper inside a field. */
  gaps?(data: JsonRecord): Gap[]
  /** A field of `data` that, where present, repeats the id of the node. */
  readonly repeatsNodeId?: string
  /** Names that other nodes may refer to; undefined when any name may come out of it. */
  outputs(data: JsonRecord): readonly string[] | undefined
  /** For a kind that branches: ids of its cases, when one of them is always chosen. */
  cases?(data: JsonRecord): readonly string[] | undefined
}

export type KindRegistry = ReadonlyMap<string, NodeKind>

/** Fields that `data` of every known kind may have. */
export const commonFields: Fields = { title: { is: 'text' }, desc: { is: 'text' } }
