import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config.ts'

export interface Arguments {
  /** By the names in `positionals`. */
  positionals: Record<string, string>
  options: Record<string, string | boolean | undefined>
}

/** What a command has to say, for people and for programs. */
export interface Outcome {
  text: string
  json: Record<string, unknown>
  /** Done, yet something needs a look: a sentence for the error output, and the exit code 1. */
  problem?: string | undefined
}

export interface Command {
  /** One or two words. */
  name: string
  summary: string
  /** Further lines for `help`. */
  details?: string
  /** What follows the name, as `help` shows it. */
  usage: string
  example: string
  positionals: readonly string[]
  options: ParseArgsOptionsConfig
  run(given: Arguments, config: Config, signal: AbortSignal): Promise<Outcome>
}
