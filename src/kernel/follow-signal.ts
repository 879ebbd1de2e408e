/**
 * A controller that is aborted with the signal, too, until it is released. AbortSignal.any does that with weak references,
 * and what hangs on them, such as a request with its response, stays in memory until the next full garbage collection.
 */
export function followSignal(signal: AbortSignal | null | undefined): {
  controller: AbortController
  release(): void
} {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal!.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  return { controller, release: () => signal?.removeEventListener('abort', onAbort) }
}
