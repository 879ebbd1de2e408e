/** Unlike AbortSignal.any, whose weak references keep a request in memory until the next full garbage collection. */
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
