import type { Clock } from '../../kernel/clock.ts'
import type { KindRegistry } from '../node-kind.ts'
import type { OutputVault } from './output-vault.ts'
import type { Plans } from './plans.ts'
import type { RunListener } from './run-listener.ts'
import type { RunStore } from './run-store.ts'

/** What runs need of the server around them. */
export interface RunDependencies {
  readonly store: RunStore
  readonly plans: Plans
  readonly kinds: KindRegistry
  /** Handed to the kinds as it is. */
  readonly services: unknown
  /** Whoever the runs of conversations work for. */
  readonly listener: RunListener
  readonly vault: OutputVault
  readonly clock: Clock
  /** The name of the model that is used where a node names none; empty when there is none. */
  defaultModel(workspaceId: string): Promise<string>
  /** Tells whoever runs the server. */
  readonly log: { warn(details: object, message: string): void }
  readonly limits: RunLimits
}

export interface RunLimits {
  /** Runs at work in this process. */
  readonly live: number
  readonly steps: number
  /** Steps of one run at the same time. */
  readonly parallel: number
  readonly milliseconds: number
  readonly leaseMilliseconds: number
  /** How often to look for runs that another process left. */
  readonly pollMilliseconds: number
  /** How long runs under way may go on when the server stops. */
  readonly graceMilliseconds: number
  /** All who share the database run on this machine. */
  readonly isAlone: boolean
}
