import type { Reason } from '../contract/error-codes.ts'

export interface ScheduleSettings {
  cron: string
  timezone: string
  /** Whether the latest of missed occurrences is fired, or none. */
  missed: 'run_latest' | 'skip'
}

export interface WebhookSettings {
  auth: 'secret' | 'signature' | 'github'
  answer: 'async' | 'sync'
  /** Seconds that a `sync` response waits. */
  wait: number
}

/** Why a trigger could not start a run the last time. */
export interface TriggerFailure {
  at: number
  scheduledAt?: number
  reason: Reason | 'missed'
  message: string
  /** The number of failures in a row. */
  count: number
}

interface TriggerFields {
  id: string
  name: string
  workflowId: string
  enabled: boolean
  /** Inputs of the run, with references to the event that fired the trigger. */
  inputs: Readonly<Record<string, unknown>>
  /** The next occurrence of a schedule that is enabled. */
  nextAt: number | undefined
  failure: TriggerFailure | undefined
  createdAt: number
  updatedAt: number
  /** The name of the token that last changed it. */
  updatedBy: string
}

export interface Schedule extends TriggerFields {
  kind: 'schedule'
  settings: ScheduleSettings
}

export interface Webhook extends TriggerFields {
  kind: 'webhook'
  settings: WebhookSettings
  sealedSecret: string
}

export type Trigger = Schedule | Webhook
