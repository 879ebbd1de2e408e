import type { Role } from '../contract/access-operations.ts'
import type { Access } from '../contract/operation.ts'

/** What each role may do. `operator` is no role: it is a mark on the one token that runs the server. */
const allowed: Record<Role, readonly Access[]> = {
  admin: ['anyone', 'public', 'token', 'run', 'read', 'write', 'admin'],
  editor: ['anyone', 'public', 'token', 'run', 'read', 'write'],
  viewer: ['anyone', 'public', 'token', 'read'],
  runner: ['anyone', 'public', 'token', 'run'],
}

export const isAllowed = (caller: { role: Role; operator: boolean }, access: Access): boolean =>
  access === 'operator' ? caller.operator : allowed[caller.role].includes(access)
