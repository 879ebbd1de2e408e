import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import { hasUnsavedInput } from './use-unsaved-input.ts'

/** A page that is loaded on first use. Loading fails when the server is unreachable or has been updated. */
export const lazyPage = <Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({
    default: await load().catch((error: unknown) => {
      throw new ApiFailure(String(error), { reason: 'unreachable' })
    }),
  }))

/** The entry of the history that was reloaded, so that a script that is missing does not reload it forever. */
const reloaded = 'reloaded'

/**
 * Browsers cache a failed import of a script, and of every script that imports it, until the page is reloaded; reloading
 * also picks up a newer console. An interruption of the server would otherwise be visible long after it.
 */
export async function reloadIfReachable(): Promise<void> {
  if (window.history.state === reloaded || hasUnsavedInput()) return
  const response = await fetch(document.baseURI, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (!response?.ok) return
  window.history.replaceState(reloaded, '')
  window.location.reload()
}
