import type { Role } from '../contract/access-operations.ts'
import type { Access } from '../contract/operation.ts'

/** Permissions of each role. `operator` is not a role but a flag on one token. */
const allowed: Record<Role, readonly Access[]> = {
  admin: ['anyone', 'public', 'token', 'run', 'read', 'write', 'admin'],
  editor: ['anyone', 'public', 'token', 'run', 'read', 'write'],
  viewer: ['anyone', 'public', 'token', 'read'],
  runner: ['anyone', 'public', 'token', 'run'],
}

export const isAllowed = (caller: { role: Role; operator: boolean }, access: Access): boolean =>
  access === 'operator' ? caller.operator : allowed[caller.role].includes(access)
