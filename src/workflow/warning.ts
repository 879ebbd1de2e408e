/** A problem that does not prevent a graph from being stored. A blocking warning prevents it from running. */
export interface Warning {
  /** A JSON pointer to the field. */
  readonly path: string
  readonly rule: WarningRule
  readonly message: string
  readonly blocking: boolean
}

export type WarningRule =
  | 'no_input'
  | 'no_end'
  | 'cycle'
  | 'unreachable'
  | 'branch_unknown'
  | 'reference_malformed'
  | 'reference_unmarked'
  | 'reference_unknown_node'
  | 'reference_not_before'
  | 'reference_may_be_skipped'
  | 'reference_disabled'
  | 'reference_unknown_output'
  | 'unknown_kind'
  | 'node_id_too_long'
  | 'missing_setting'
  | 'null_setting'
  | 'setting_out_of_range'
  | 'code_unsupported'
  | 'secret_not_allowed'
  | 'secret_unknown'
  | 'secret_used'
  | 'tool_unknown'
  | 'tool_wrong_type'
  | 'knowledge_unknown'
  | 'credential_in_graph'

export type Warn = (rule: WarningRule, path: string, message: string) => void

/** The structure of a graph causes far fewer; see `maxFindings` in refuse-graph.ts for the reason of the limit. */
const maxWarnings = 20_000

/** Rules that do not prevent the graph from running. */
const harmlessRules: ReadonlySet<WarningRule> = new Set([
  // The edge is never followed, like those of cases that do not match.
  'branch_unknown',
  // A skipped node is an empty text in a template, which may be intended.
  'reference_may_be_skipped',
  // Disabling a node is a trial, and templates that refer to it get an empty text.
  'reference_disabled',
  // It may be text of another template language.
  'reference_unmarked',
  // It counts as absent.
  'null_setting',
  // The nearest value that is allowed is used.
  'setting_out_of_range',
  // The line of code may never run; if it does, the step says what is missing.
  'code_unsupported',
  // Secrets may be stored after the graph; until then, the step says what is missing.
  'secret_unknown',
  'secret_used',
  // A model answers without it, and the other kinds say what is missing.
  'knowledge_unknown',
  'credential_in_graph',
])

/** Collects warnings. Blocking and harmless ones have separate limits, so that neither can crowd out the other. */
export class WarningList {
  readonly all: Warning[] = []
  #blocking = 0

  readonly warn: Warn = (rule, path, message) => {
    const blocking = !harmlessRules.has(rule)
    const collected = blocking ? this.#blocking : this.all.length - this.#blocking
    if (collected >= maxWarnings) return
    if (blocking) this.#blocking += 1
    this.all.push({ path, rule, message, blocking })
  }
}

export const isRunnable = (warnings: readonly Warning[]): boolean =>
  !warnings.some(({ blocking }) => blocking)
