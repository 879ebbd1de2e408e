/** What a graph may be stored with. A blocking warning keeps it from running. */
export interface Warning {
  /** A JSON pointer to the very field. */
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

/** A skipped node is an empty text in a template, which an author may well have meant. */
const harmless: ReadonlySet<WarningRule> = new Set<WarningRule>(['reference_may_be_skipped'])

/** Nodes by their form give far fewer; see `mostFindings` in refuse-graph.ts for why there is a bound. */
const mostWarnings = 20_000

/**
 * Collects warnings up to a bound, blocking and harmless ones apart: no number of harmless ones may push out
 * the blocking one that keeps a graph from running.
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
