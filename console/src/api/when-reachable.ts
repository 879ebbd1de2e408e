import { isAway } from './api-failure.ts'

const firstPause = 1_000
const maxPause = 30_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined
/** Checks since the last quiet period: a proxy may answer for a server that does not. */
let checks = 0
let quietSince = 0

/** Calls the listener once, as soon as the server answers again. Returns how to cancel that. */
export function whenReachable(listener: () => void): () => void {
  if (listeners.size === 0) {
    if (Date.now() - quietSince > 2 * maxPause) checks = 0
    window.addEventListener('online', check)
    document.addEventListener('visibilitychange', check)
    checkLater()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) end()
  }
}

function checkLater(): void {
  clearTimeout(timer)
  timer = setTimeout(check, Math.min(maxPause, firstPause * 2 ** checks))
}

async function check(): Promise<void> {
  // A hidden page is checked when it is shown again.
  if (document.visibilityState === 'hidden') return
  checks += 1
  checkLater()
  const own = timer
  if (!(await isReachable()) || own !== timer) return
  const waiting = [...listeners]
  listeners.clear()
  end()
  for (const listener of waiting) listener()
}

function end(): void {
  clearTimeout(timer)
  timer = undefined
  quietSince = Date.now()
  window.removeEventListener('online', check)
  document.removeEventListener('visibilitychange', check)
}

/** A public operation that needs no token, because a proxy may serve the page itself, or only the chat page. */
const probe = 'api/v1/agent/profile'

async function isReachable(): Promise<boolean> {
  try {
    // Requests without an answer would take the connections that a browser allows to one server.
    const signal = AbortSignal.timeout(maxPause)
    const request = { method: 'OPTIONS', cache: 'no-store', signal } as const
    return !isAway((await fetch(new URL(probe, document.baseURI), request)).status)
  } catch {
    return false
  }
}
