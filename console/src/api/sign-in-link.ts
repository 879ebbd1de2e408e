import { offerToken } from './token.ts'

/** The token in the fragment of a sign-in link (`#token=…`), which browsers send to nobody. */
export function tokenIn(fragment: string): string | undefined {
  const found = /^#token=(.+)$/s.exec(fragment)?.[1]
  if (found === undefined) return undefined
  try {
    return decodeURIComponent(found)
  } catch {
    // A link that was cut or changed on its way is refused like every wrong token.
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
 * Takes tokens out of the address, where nobody is to read them: when the console is opened, and when a link is
 * pasted where it is open already. Listens before the router does, which then finds the place unchanged.
 */
export function takeTokensFromAddress(): void {
  takeToken()
  window.addEventListener('hashchange', takeToken, { capture: true })
}
