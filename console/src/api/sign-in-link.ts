import { offerToken } from './token.ts'

/** The token in the fragment of a sign-in link (`#token=…`); browsers never send fragments to a server. */
export function tokenIn(fragment: string): string | undefined {
  const found = /^#token=(.+)$/s.exec(fragment)?.[1]
  if (found === undefined) return undefined
  try {
    return decodeURIComponent(found)
  } catch {
    // A damaged link is rejected like any invalid token.
    return found
  }
}

function takeToken(event?: HashChangeEvent): void {
  const token = tokenIn(window.location.hash)
  if (token === undefined) return
  const before = event ? new URL(event.oldURL).hash : ''
  window.history.replaceState(null, '', before || '#/')
  offerToken(token)
}

/**
 * Removes tokens from the address bar: when the console is opened, and when a link is pasted into an open
 * console. Listens before the router, which then sees an unchanged location.
 */
export function takeTokensFromAddress(): void {
  takeToken()
  window.addEventListener('hashchange', takeToken, { capture: true })
}
