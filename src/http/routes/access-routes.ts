import type { AccessService } from '../../access/access-service.ts'
import type { Workspace } from '../../access/access-store.ts'
import {
  tokenOperations,
  tokenRecord,
  workspaceOperations,
  workspaceRecord,
} from '../../contract/access-operations.ts'
import { pageAnswer } from '../../contract/paging.ts'
import { limitFields } from '../../contract/quotas.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Runs } from '../../workflow/run/run-service.ts'
import { type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'

export const tokenOnWire = wireWriter(tokenRecord)
export const workspaceOnWire = wireWriter(workspaceRecord)
const limitsOnWire = wireWriter(limitFields)
export const readLimits = wireReader(limitFields)

export const workspaceWithLimits = (workspace: Workspace) => ({
  ...workspaceOnWire(workspace),
  limits: limitsOnWire(workspace.limits ?? {}),
})

export function accessRoutes(access: AccessService, runs: Pick<Runs, 'abandonWorkspace'>): Route[] {
  return [
    route(tokenOperations.create, async ({ token, body }) => {
      const workspaceId = body.workspace_id ?? token.workspaceId
      if (workspaceId !== token.workspaceId && !token.operator)
        throw new AppError('forbidden', 'Only the operator may create tokens for another workspace', {
          errors: [{ path: '/workspace_id', message: 'must be omitted' }],
        })
      const { name, role, expires_in_days: expiresInDays, agent_ids: agentIds, user_id: userId } = body
      const made = await access.createToken({ workspaceId, name, role, expiresInDays, agentIds, userId })
      return { ...tokenOnWire(made), workspace_id: workspaceId, token: made.secret }
    }),

    route(tokenOperations.self, async ({ token }) => {
      const { created_at: _, ...self } = tokenOnWire(token)
      const { id, name } = await access.workspaceOf(token)
      return { ...self, workspace_id: id, workspace_name: name, is_operator: token.operator }
    }),

    route(tokenOperations.list, ({ workspaceId, body }) =>
      pageAnswer(body, page => access.store.listTokens(workspaceId, page), tokenOnWire),
    ),

    route(tokenOperations.delete, ({ workspaceId, body }) => access.deleteToken(workspaceId, body.id)),

    route(workspaceOperations.create, async ({ body }) => {
      const workspace = await access.createWorkspace(body.name)
      return { ...workspaceOnWire(workspace), token: workspace.secret }
    }),

    route(workspaceOperations.list, ({ body }) =>
      pageAnswer(body, page => access.store.listWorkspaces(page), workspaceWithLimits),
    ),

    route(workspaceOperations.update, async ({ body }) =>
      workspaceWithLimits(await access.setLimits(body.id, readLimits(body.limits))),
    ),

    route(workspaceOperations.delete, async ({ body }) => {
      const leases = await access.deleteWorkspace(body.id)
      await runs.abandonWorkspace(body.id, leases)
    }),
  ]
}
