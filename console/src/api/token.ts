const key = 'banyan.token'
const listeners = new Set<() => void>()
let current: string | undefined

/**
 * The token of whoever is signed in. It is kept by this browser for this address only and leaves it in no other way
 * than in the Authorization header of calls to the server that the console came from.
 */
export function readToken(): string | undefined {
  current ??= localStorage.getItem(key) ?? undefined
  return current
}

export function keepToken(token: string): void {
  current = token
  localStorage.setItem(key, token)
  for (const listener of listeners) listener()
}

export function forgetToken(): void {
  if (readToken() === undefined) return
  current = undefined
  localStorage.removeItem(key)
  for (const listener of listeners) listener()
}

export function onTokenChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// Signing out in one tab signs out in all of them.
if (typeof window !== 'undefined')
  window.addEventListener('storage', event => {
    if (event.key !== key) return
    current = event.newValue ?? undefined
    for (const listener of listeners) listener()
  })

/** Takes a token out of the fragment of the address, which browsers send to nobody, and clears it from there. */
export function takeTokenFromAddress(): void {
  const found = /^#token=([\x21-\x7e]+)$/.exec(window.location.hash)?.[1]
  if (found === undefined) return
  window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/`)
  keepToken(decodeURIComponent(found))
}
