export interface Times {
  p50: number
  p95: number
  p99: number
}

/** Sorts them in place. */
export function timesOf(milliseconds: number[]): Times {
  milliseconds.sort((left, right) => left - right)
  const at = (part: number): number => milliseconds[Math.floor(milliseconds.length * part)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const figure = (value: number): string => value.toFixed(value < 10 ? 1 : 0)

export const shownTimes = ({ p50, p95 }: Times): string => `${figure(p50)}, ${figure(p95)} ms`

export const shownTail = ({ p50, p99 }: Times): string => `${figure(p50)}, ${figure(p99)} ms`
