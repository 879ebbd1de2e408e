import { useEffect, useEffectEvent } from 'react'
import { isUnreachable } from '../api/api-failure.ts'
import { whenReachable } from '../api/when-reachable.ts'

/** Loads again what could not be loaded, as soon as the server answers again; other failures are left to the user. */
export function useRetryWhenReachable(error: unknown, retry: () => unknown): void {
  const onReachable = useEffectEvent(retry)
  useEffect(() => (isUnreachable(error) ? whenReachable(() => void onReachable()) : undefined), [error])
}
