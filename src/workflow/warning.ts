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
  | 'reference_malformed'
  | 'reference_unknown_node'
  | 'reference_not_before'
  | 'reference_may_be_skipped'
  | 'reference_unknown_output'
  | 'unknown_kind'
  | 'node_id_too_long'
  | 'missing_setting'

export type Warn = (rule: WarningRule, path: string, message: string) => void

/** A skipped node is an empty text in a template, which may be intended. */
const harmless: ReadonlySet<WarningRule> = new Set<WarningRule>(['reference_may_be_skipped'])

/** The structure of a graph causes far fewer; see `maxFindings` in refuse-graph.ts for the reason of the limit. */
const mostWarnings = 20_000

/**
 * Collects warnings up to a limit, separately for blocking and harmless ones: no number of harmless warnings may hide
 * the blocking one.
 */
export class WarningList {
  readonly #warnings: Warning[] = []
  #blocking = 0

  readonly warn: Warn = (rule, path, message) => {
    const blocking = !harmless.has(rule)
    const collected = blocking ? this.#blocking : this.#warnings.length - this.#blocking
    if (collected >= mostWarnings) return
    if (blocking) this.#blocking += 1
    this.#warnings.push({ path, rule, message, blocking })
  }

  all(): Warning[] {
    return this.#warnings
  }
}

export const isRunnable = (warnings: readonly Warning[]): boolean =>
  !warnings.some(({ blocking }) => blocking)
