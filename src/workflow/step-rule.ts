import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import type { Gap, NodeKind } from './node-kind.ts'
import { showValue } from './show-value.ts'

/** What to do with a step whose last attempt failed. */
type OnError =
  | { readonly do: 'fail' | 'skip' | 'branch' }
  | { readonly do: 'default'; readonly value: unknown }

/** Timeout, retries and error handling of a step. */
export interface StepRule {
  readonly timeoutMilliseconds: number
  readonly attempts: number
  /** Between attempts; undefined: exponential backoff. */
  readonly delayMilliseconds: number | undefined
  readonly onError: OnError
}

type Range = readonly [min: number, max: number]

const defaultTimeout = 30_000
const timeoutRange: Range = [1, 20 * 60_000]
const retriesRange: Range = [0, 9]
const delayRange: Range = [0, 60_000]

const clamp = (value: number, [min, max]: Range): number => Math.min(Math.max(value, min), max)

/** The rule of a node: its own settings, otherwise the defaults of its kind. */
export function stepRule(kind: NodeKind<never>, data: JsonRecord): StepRule {
  const { timeout, times, delay } = settingsOf(data)
  return {
    timeoutMilliseconds:
      typeof timeout === 'number'
        ? clamp(timeout, timeoutRange)
        : (kind.timeoutMilliseconds ?? defaultTimeout),
    attempts: typeof times === 'number' ? clamp(Math.floor(times), retriesRange) + 1 : (kind.attempts ?? 1),
    delayMilliseconds: typeof delay === 'number' ? clamp(delay, delayRange) : undefined,
    onError: onErrorOf(ownValue(data, 'on_error')) ?? { do: 'fail' },
  }
}

function settingsOf(data: JsonRecord): { timeout: unknown; times: unknown; delay: unknown } {
  const retry = ownValue(data, 'retry')
  const [times, delay] = isJsonRecord(retry) ? [ownValue(retry, 'times'), ownValue(retry, 'delay_ms')] : []
  return { timeout: ownValue(data, 'timeout_ms'), times, delay }
}

function onErrorOf(value: unknown): OnError | undefined {
  if (value === 'fail' || value === 'skip' || value === 'branch') return { do: value }
  if (isJsonRecord(value) && Object.hasOwn(value, 'default'))
    return { do: 'default', value: value['default'] }
  return undefined
}

/** Settings that are out of range or not understood, so that the rule of the node cannot use them as they are. */
export function ruleGaps(data: JsonRecord): Gap[] {
  const { timeout, times, delay } = settingsOf(data)
  const onError = ownValue(data, 'on_error') ?? undefined
  return [
    ...rangeGap(['timeout_ms'], timeout, timeoutRange),
    ...rangeGap(['retry', 'times'], times, retriesRange),
    ...rangeGap(['retry', 'delay_ms'], delay, delayRange),
    ...(onError === undefined || onErrorOf(onError)
      ? []
      : [
          {
            place: ['on_error'],
            message: `Must be "fail", "skip", "branch" or {"default": …}, but is ${showValue(onError)}; it counts as "fail".`,
          },
        ]),
  ]
}

const rangeGap = (place: string[], value: unknown, range: Range): Gap[] =>
  typeof value !== 'number' || clamp(value, range) === value
    ? []
    : [
        {
          place,
          message: `Must be from ${range[0]} to ${range[1]}, but is ${value}; ${clamp(value, range)} is used.`,
        },
      ]
