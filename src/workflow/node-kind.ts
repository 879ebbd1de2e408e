import type { InputVariable } from '../contract/input-variable.ts'
import type { JsonRecord } from './json-record.ts'
import type { Fields } from './shape.ts'
import type { Outcome, Outputs, Step } from './step.ts'
import type { WarningRule } from './warning.ts'

// Kinds import only node-kind.ts and step.ts of this folder, and read `data` with these.
export { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'

/** A setting of a node that is missing or will not work: its place in `data`, and what to do about it. */
export interface Gap {
  /** Keys from `data` down to the place. */
  readonly place: readonly (string | number)[]
  readonly message: string
  /** `missing_setting` unless given, which blocks. */
  readonly rule?: WarningRule
}

export type SharedToolType = 'http' | 'mcp'

/** The id of an object of the workspace, and its place in `data`. */
export interface ObjectUse {
  readonly place: Gap['place']
  readonly id: string
}

export interface SharedToolUse extends ObjectUse {
  /** The only type that the node can call; any type if absent. */
  readonly type?: SharedToolType
}

/** Values of a whole graph. */
export interface DeclaredValues {
  /** The values of `env.…`. */
  readonly environment: Outputs
  /** The values of `memory.…` until others are assigned. */
  readonly memory: Outputs
}

/**
 * The interface of all node kinds: one kind, one file, one line in the registry. The graph checks and the engine know
 * kinds only through it. `data` comes from the client, so every method must accept any JSON object whose known fields
 * have the declared types. `Services` are what the kinds of a registry need besides the engine.
 */
export interface NodeKind<Services = never> {
  /** The value of `data.type`. */
  readonly kind: string
  /** The usual category of the kind; a graph with another one is stored unchanged. */
  readonly nodeType: 'base' | 'tool' | 'embody'
  /** Its name in messages. */
  readonly label?: { readonly en: string }
  /** Known fields of `data` besides the common ones; other fields are stored and ignored. */
  readonly fields: Fields
  /** Fields that must be set before it can run; blank text and empty lists or objects count as not set. */
  readonly required: readonly string[]
  /** Settings inside a field that are missing or will not work. */
  gaps?(data: JsonRecord): Gap[]
  /** The shared tools that a node refers to, with their places in `data`. */
  sharedTools?(data: JsonRecord): SharedToolUse[]
  /** The knowledge bases that a node names by id. */
  knowledge?(data: JsonRecord): ObjectUse[]
  /** A field of `data` that, where present, repeats the id of the node. */
  readonly repeatsNodeId?: string
  /** Names that other nodes may refer to; undefined when any name is possible. */
  outputs(data: JsonRecord): readonly string[] | undefined
  declares?(data: JsonRecord): DeclaredValues
  /** The inputs of a run that starts at this node. The engine checks them; their values are in `system.inputs`. */
  variables?(data: JsonRecord): readonly InputVariable[]
  /** The case ids of a branching kind. */
  cases?(data: JsonRecord): readonly string[] | undefined
  /** Whether a run may choose none of the cases. */
  mayChooseNone?(data: JsonRecord): boolean
  /** Outputs that the step streams with `write`. */
  readonly streams?: readonly string[]
  /** The field that is streamed to the user once it is certain that the node runs; its output `files` follow. */
  readonly messageField?: string
  /** It calls `step.sendMessage`, or runs workflows that do: messages of later nodes wait for it. */
  readonly sendsMessages?: boolean
  /** It may ask the user, so messages of later nodes do not stream before it ends. */
  readonly waits?: boolean
  /** The outputs that become those of the run; if the list is empty, all outputs of the nodes connected to it. */
  gathers?(data: JsonRecord): readonly string[]
  /** Timeout of an attempt unless the node sets one; 30 seconds by default. */
  readonly timeoutMilliseconds?: number
  /** The kind waits in a queue first: its timeout starts when it calls `step.startTimeout`. */
  readonly waitsForTurn?: boolean
  /** Number of attempts unless the node sets it; 1 by default. */
  readonly attempts?: number
  /** Does the work. Fails with a `StepFailure`; any other error is a bug. */
  run(step: Step, data: JsonRecord, services: Services): Outcome | Promise<Outcome>
}

/** Kinds by name. The checks and the engine pass `services` through without knowing them. */
// biome-ignore lint/suspicious/noExplicitAny: only the registry and its creator know the type of the services
export type KindRegistry = ReadonlyMap<string, NodeKind<any>>

/** Fields that `data` of every known kind may have. */
export const commonFields: Fields = {
  title: { is: 'text' },
  desc: { is: 'text' },
  // A run passes over the node; the engine reads it.
  disabled: { is: 'boolean' },
  timeout_ms: { is: 'number' },
  retry: { is: 'object', fields: { times: { is: 'number' }, delay_ms: { is: 'number' } } },
  // "fail", "skip", "branch" or {"default": …}; the engine reads it.
  on_error: { is: 'tree' },
}

const allFields = new WeakMap<NodeKind, Fields>()

export function fieldsOf(kind: NodeKind): Fields {
  let fields = allFields.get(kind)
  if (!fields) {
    fields = { ...commonFields, ...kind.fields }
    allFields.set(kind, fields)
  }
  return fields
}
