const tokenKey = 'banyan.token'
const workspaceKey = 'banyan.workspace'

/** Who is signed in, as far as this tab knows. */
export interface Holder {
  /** Kept by this browser for this address only; it leaves it in no other way than in the header of calls. */
  readonly token: string | undefined
  /** Known once the server has told it. */
  readonly workspaceId: string | undefined
  /** The server does not take the token any more. What was typed stays until somebody signs in again. */
  readonly isRefused: boolean
  /** The token of a sign-in link, which nobody has agreed to yet. */
  readonly offered: string | undefined
  /** Another number for everybody else: what one person was shown is nothing for the next. */
  readonly number: number
}

const nobody = { token: undefined, workspaceId: undefined, isRefused: false, offered: undefined }
const changeListeners = new Set<() => void>()
const endListeners = new Set<() => void>()
let holder: Holder | undefined

export function readHolder(): Holder {
  holder ??= { ...nobody, token: localStorage.getItem(tokenKey) ?? undefined, number: 0 }
  return holder
}

export const readToken = (): string | undefined => readHolder().token

function change(news: Partial<Holder>): void {
  holder = { ...readHolder(), ...news }
  for (const listener of changeListeners) listener()
}

/** Ends what is shown and kept for whoever was signed in until now. */
function end(): void {
  for (const listener of endListeners) listener()
  change({ ...nobody, number: readHolder().number + 1 })
}

/** Goes on with another token; in another workspace with nothing of what was. */
function goOnWith(token: string, workspaceId: string | undefined): void {
  const { token: current, workspaceId: before } = readHolder()
  const next = { ...nobody, token, workspaceId }
  const isSame = workspaceId !== undefined && workspaceId === before
  if (current === undefined || isSame) change(next)
  else {
    end()
    // Only once the pages are gone: what they save while they close is not meant for the other workspace.
    setTimeout(() => change(next))
  }
}

/** Signs in with a token, and with the workspace that it belongs to where the server has told it. */
export function keepToken(token: string, workspaceId?: string): void {
  // Before the token, so that other tabs know it when they hear of that.
  if (workspaceId === undefined) localStorage.removeItem(workspaceKey)
  else localStorage.setItem(workspaceKey, workspaceId)
  localStorage.setItem(tokenKey, token)
  goOnWith(token, workspaceId)
}

/** The server has told which workspace is signed in to. */
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

/** The server did not take this token. One that was replaced meanwhile says nothing about its follower. */
export function refuseToken(token: string): void {
  const { token: current, isRefused } = readHolder()
  if (token === current && !isRefused) change({ isRefused: true })
}

/** A sign-in link was opened. Only where nobody is signed in it is taken without a question. */
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

/** Called when somebody signs out or into another workspace, in this tab or another one. */
export function onSignedOut(listener: () => void): () => void {
  endListeners.add(listener)
  return () => endListeners.delete(listener)
}

// Signing in and out in one tab does so in all of them.
if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key }) => {
    if (key !== tokenKey && key !== null) return
    const token = localStorage.getItem(tokenKey)
    if (token === (readToken() ?? null)) return
    if (token === null) end()
    else goOnWith(token, localStorage.getItem(workspaceKey) ?? undefined)
  })
