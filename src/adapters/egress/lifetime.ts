import { EgressFailure } from './egress-failure.ts'

/** How long one call may live: until its time is up or the caller gives up. */
export interface Lifetime {
  readonly signal: AbortSignal
  /** Why it ended, as an error. */
  reason(): Error
  /** Must be called when the call is over, or its timer and listener stay. */
  end(): void
}

export function startLifetime(
  host: string,
  totalMilliseconds: number,
  caller: AbortSignal | undefined,
): Lifetime {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new EgressFailure('timed_out', `${host} took longer than allowed`)),
    totalMilliseconds,
  )
  const giveUp = (): void => controller.abort(caller?.reason)
  if (caller?.aborted) giveUp()
  caller?.addEventListener('abort', giveUp, { once: true })
  return {
    signal: controller.signal,
    reason: () => {
      const { reason } = controller.signal
      return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError')
    },
    end: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
    },
  }
}
