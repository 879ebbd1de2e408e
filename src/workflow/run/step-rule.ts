import { isJsonRecord, type JsonRecord, ownValue } from '../json-record.ts'
import type { NodeKind } from '../node-kind.ts'

/** What to do with a step that failed for good. */
export type OnError = { readonly do: 'fail' | 'skip' } | { readonly do: 'default'; readonly value: unknown }

/** How long and how often a step is tried. */
export interface StepRule {
  readonly timeoutMilliseconds: number
  readonly attempts: number
  /** Between attempts; undefined where the usual growing pause is meant. */
  readonly delayMilliseconds: number | undefined
  readonly onError: OnError
}

const usualTimeout = 30_000
const longestTimeout = 20 * 60_000
const mostAttempts = 10
const longestDelay = 60_000

const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** The rule of a node: its own settings, else those of its kind. */
export function stepRule(kind: NodeKind<never>, data: JsonRecord): StepRule {
  const timeout = ownValue(data, 'timeout_ms')
  const retry = ownValue(data, 'retry')
  const times = isJsonRecord(retry) ? ownValue(retry, 'times') : undefined
  const delay = isJsonRecord(retry) ? ownValue(retry, 'delay_ms') : undefined
  return {
    timeoutMilliseconds:
      typeof timeout === 'number'
        ? between(timeout, 1, longestTimeout)
        : (kind.timeoutMilliseconds ?? usualTimeout),
    attempts:
      typeof times === 'number' ? between(Math.floor(times) + 1, 1, mostAttempts) : (kind.attempts ?? 1),
    delayMilliseconds: typeof delay === 'number' ? between(delay, 0, longestDelay) : undefined,
    onError: onErrorOf(ownValue(data, 'on_error')),
  }
}

function onErrorOf(value: unknown): OnError {
  if (value === 'skip') return { do: 'skip' }
  if (isJsonRecord(value) && Object.hasOwn(value, 'default'))
    return { do: 'default', value: value['default'] }
  return { do: 'fail' }
}
