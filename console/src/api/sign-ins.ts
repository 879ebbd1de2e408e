import { onTokenChange, readToken } from './token.ts'

/** A sign-in that this browser keeps, so that a user can switch between workspaces. */
export interface SignIn {
  token: string
  workspaceId: string
  workspace: string
  name: string
}

const key = 'banyan.sign-ins'
const maxSignIns = 20

export function readSignIns(): SignIn[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(each => typeof each?.token === 'string') : []
  } catch {
    return []
  }
}

const write = (signIns: readonly SignIn[]): void =>
  localStorage.setItem(key, JSON.stringify(signIns.slice(0, maxSignIns)))

/** Keeps the current sign-in; one per workspace and name, so that a new token takes the place of an old one. */
export function rememberSignIn(signIn: SignIn): void {
  const isOther = ({ token, workspaceId, name }: SignIn): boolean =>
    token !== signIn.token && (workspaceId !== signIn.workspaceId || name !== signIn.name)
  write([signIn, ...readSignIns().filter(isOther)])
}

// After signing out, nothing of the user stays in this browser.
if (typeof window !== 'undefined')
  onTokenChange(() => {
    if (readToken() === undefined && localStorage.getItem('banyan.token') === null)
      localStorage.removeItem(key)
  })
