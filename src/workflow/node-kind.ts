import type { JsonRecord } from './json-record.ts'
import type { Fields } from './shape.ts'
import type { Outcome, Step } from './step.ts'

// A kind reads `data` with these; node-kind.ts and step.ts are the files of this room that kinds import.
export { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'

/** Something that must be set before a node can run: where in `data`, and what to do about it. */
export interface Gap {
  /** Keys from `data` down to the place. */
  readonly place: readonly (string | number)[]
  readonly message: string
}

/**
 * The port that every kind of node fills in: one kind, one file, one line in the registry. The graph checks and the
 * engine know kinds only through it. `data` is what the client sent, so every method must bear any JSON object whose
 * known fields have the declared types. `Services` is what the kinds of a registry need besides the engine.
 */
export interface NodeKind<Services = never> {
  /** The value of `data.type`. */
  readonly kind: string
  /** The category the kind is seen with; a graph that says otherwise is kept as it is. */
  readonly nodeType: 'base' | 'tool' | 'embody'
  /** Its name in messages. */
  readonly label?: { readonly en: string }
  /** Known fields of `data` besides the common ones; other fields are kept unread. */
  readonly fields: Fields
  /** Fields that must be set before it can run; blank text and empty lists or objects count as not set. */
  readonly required: readonly string[]
  /** What must be set deeper inside a field. */
  gaps?(data: JsonRecord): Gap[]
  /** A field of `data` that, where present, repeats the id of the node. */
  readonly repeatsNodeId?: string
  /** Names that other nodes may refer to; undefined when any name may come out of it. */
  outputs(data: JsonRecord): readonly string[] | undefined
  /** For a kind that branches: ids of its cases. */
  cases?(data: JsonRecord): readonly string[] | undefined
  /** Whether it may be that none of the cases is chosen. */
  mayChooseNone?(data: JsonRecord): boolean
  /** Outputs whose text is what the step writes piece by piece while it runs. */
  readonly streams?: readonly string[]
  /** The field whose text is said to the user, piece by piece, as soon as it is sure that the node runs. */
  readonly messageField?: string
  /** It says something by `step.say`, or runs workflows that do: later speakers let it go first. */
  readonly sendsMessages?: boolean
  /** It may ask the user, so nobody speaks ahead on the guess that it ends soon. */
  readonly waits?: boolean
  /** Its outputs are those of the nodes wired into it, and the outputs of the run. */
  readonly gathers?: boolean
  /** How long an attempt may take where the node does not say; 30 seconds unless told. */
  readonly timeoutMilliseconds?: number
  /** How often it is tried where the node does not say; once unless told. */
  readonly attempts?: number
  /** Does the work. Fails with a `StepFailure`; anything else that is thrown is a fault of ours. */
  run(step: Step, data: JsonRecord, services: Services): Outcome | Promise<Outcome>
}

/** Kinds by name. The checks and the engine hand `services` through without knowing them. */
// biome-ignore lint/suspicious/noExplicitAny: only the registry and whoever makes the services know their type
export type KindRegistry = ReadonlyMap<string, NodeKind<any>>

/** Fields that `data` of every known kind may have. */
export const commonFields: Fields = {
  title: { is: 'text' },
  desc: { is: 'text' },
  timeout_ms: { is: 'number' },
  retry: { is: 'object', fields: { times: { is: 'number' }, delay_ms: { is: 'number' } } },
  // "fail", "skip" or {"default": …}; the engine reads it.
  on_error: { is: 'tree' },
}
