import { isAllowed } from '../../access/permissions.ts'
import { roles } from '../../contract/access-operations.ts'
import type { Access } from '../../contract/operation.ts'

/** Who may use an operation, in words; the roles are asked of the same rule that decides. */
export function accessSentence(access: Access): string {
  if (access === 'anyone') return 'Anyone may use it; no token is needed.'
  if (access === 'operator') return "Only the operator's token may use it: the one of the first start."
  if (access === 'public')
    return 'No token is needed where the agent is public; a private one takes a token of its workspace.'
  const names = roles.filter(role => isAllowed({ role, operator: false }, access))
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
  return `For tokens with the role ${list}.`
}
