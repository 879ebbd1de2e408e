import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Ends early, without an error, when the signal is aborted. The process may exit meanwhile. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})

/** Resolves after everything else that waits in the event loop had its turn. */
export const nextTurn = (): Promise<void> => setImmediate()
