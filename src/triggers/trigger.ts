import type { Reason } from '../contract/error-codes.ts'
import { flag, integer, json, optional, type RowOf, table, text } from '../database/table.ts'

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

export const triggers = table('triggers', {
  workspaceId: text(),
  id: text(),
  kind: text<'schedule' | 'webhook'>(),
  name: text(),
  workflowId: text(),
  enabled: flag(),
  /** Inputs of the run, with references to the event that fired the trigger. */
  inputs: json<Readonly<Record<string, unknown>>>(),
  settings: json<ScheduleSettings | WebhookSettings>(),
  sealedSecret: optional(text()),
  /** The next occurrence of a schedule that is enabled. */
  nextAt: optional(integer()),
  /** When a process may fire it: at the next occurrence, or later while another process is firing it. */
  dueAt: optional(integer()),
  failure: optional(json<TriggerFailure>()),
  createdAt: integer(),
  updatedAt: integer(),
  /** The name of the token that last changed it. */
  updatedBy: text(),
})

export type TriggerRow = Omit<RowOf<typeof triggers>, 'workspaceId' | 'dueAt'>

type TriggerFields = Omit<TriggerRow, 'kind' | 'settings' | 'sealedSecret'>

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
