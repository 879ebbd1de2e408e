const tokenKey = 'banyan.token'
const workspaceKey = 'banyan.workspace'

/** The current session, as far as this tab knows. */
export interface Holder {
  /** Stored by this browser for this origin only, and sent only in the Authorization header. */
  readonly token: string | undefined
  /** Known after the server's first response. */
  readonly workspaceId: string | undefined
  /** The server rejected the token. Unsaved input is kept until the user signs in again. */
  readonly isRefused: boolean
  /** The token of a sign-in link that the user has not confirmed yet. */
  readonly offered: string | undefined
  /** Changes with every new user or workspace, so that data of the previous session is not shown. */
  readonly number: number
}

const signedOut = { token: undefined, workspaceId: undefined, isRefused: false, offered: undefined }
const changeListeners = new Set<() => void>()
const endListeners = new Set<() => void>()
let holder: Holder | undefined

export function readHolder(): Holder {
  holder ??= { ...signedOut, token: localStorage.getItem(tokenKey) ?? undefined, number: 0 }
  return holder
}

export const readToken = (): string | undefined => readHolder().token

function change(news: Partial<Holder>): void {
  holder = { ...readHolder(), ...news }
  for (const listener of changeListeners) listener()
}

/** Ends the current session and drops what it has loaded. */
function end(): void {
  for (const listener of endListeners) listener()
  change({ ...signedOut, number: readHolder().number + 1 })
}

/** Switches to another token; a different workspace starts from scratch. */
function switchTo(token: string, workspaceId: string | undefined): void {
  const { token: current, workspaceId: before } = readHolder()
  const next = { ...signedOut, token, workspaceId }
  const isSame = workspaceId !== undefined && workspaceId === before
  if (current === undefined || isSame) change(next)
  else {
    end()
    // Only after the pages have unmounted, because input that they save while closing belongs to the old workspace.
    setTimeout(() => change(next))
  }
}

/** Signs in with a token, and with its workspace if the server has reported it. */
export function keepToken(token: string, workspaceId?: string): void {
  // Stored before the token, because the token's storage event notifies other tabs.
  if (workspaceId === undefined) localStorage.removeItem(workspaceKey)
  else localStorage.setItem(workspaceKey, workspaceId)
  localStorage.setItem(tokenKey, token)
  switchTo(token, workspaceId)
}

/** Called when the server has reported the workspace of the current token. */
export function rememberWorkspace(workspaceId: string): void {
  localStorage.setItem(workspaceKey, workspaceId)
  change({ workspaceId })
}

export function signOut(): void {
  if (readToken() === undefined) return
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(workspaceKey)
  end()
}

/** The server rejected this token. If it was replaced in the meantime, the new one is not affected. */
export function refuseToken(token: string): void {
  const { token: current, isRefused } = readHolder()
  if (token === current && !isRefused) change({ isRefused: true })
}

/** Takes the token of an opened sign-in link. It is used without confirmation only if no user is signed in. */
export function offerToken(token: string): void {
  const current = readToken()
  if (current === undefined) keepToken(token)
  else if (token !== current) change({ offered: token })
}

export const declineOffer = (): void => change({ offered: undefined })

export function onTokenChange(listener: () => void): () => void {
  changeListeners.add(listener)
  return () => changeListeners.delete(listener)
}

/** Called when the user signs out or switches to another workspace, in any tab. */
export function onSignedOut(listener: () => void): () => void {
  endListeners.add(listener)
  return () => endListeners.delete(listener)
}

// Signing in or out in one tab applies to all tabs.
if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key }) => {
    if (key !== tokenKey && key !== null) return
    const token = localStorage.getItem(tokenKey)
    if (token === (readToken() ?? null)) return
    if (token === null) end()
    else switchTo(token, localStorage.getItem(workspaceKey) ?? undefined)
  })

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
