import { useEffect, useState } from 'react'

/** `pending` while something that ends by itself, such as an upload, has to end first. */
type SendState = 'ready' | 'pending' | 'blocked'

/**
 * Sends now, or as soon as nothing is pending, so that pressing Enter too early is not ignored. `content` identifies
 * the message; if it changes in the meantime, nothing is sent.
 */
export function useSendWhenReady(state: SendState, content: string, send: () => void) {
  const [awaited, setAwaited] = useState<string>()
  const isAwaited = awaited === content
  useEffect(() => {
    if (awaited === undefined || (isAwaited && state === 'pending')) return
    setAwaited(undefined)
    if (isAwaited && state === 'ready') send()
  })
  return {
    isAwaited: isAwaited && state === 'pending',
    request: (): void => {
      if (state === 'ready') send()
      else if (state === 'pending') setAwaited(content)
    },
    cancel: (): void => setAwaited(undefined),
  }
}
