import type { AccessService } from '../../access/access-service.ts'
import type { TokenRecord, Workspace } from '../../access/access-store.ts'
import { tokenOperations, workspaceOperations } from '../../contract/access-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import { AppError } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { type Route, route } from '../route.ts'

const tokenOnWire = (token: TokenRecord) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  agent_ids: token.agentIds,
  created_at: isoTime(token.createdAt),
  expires_at: token.expiresAt === undefined ? null : isoTime(token.expiresAt),
})

const workspaceOnWire = ({ id, name, createdAt }: Workspace) => ({ id, name, created_at: isoTime(createdAt) })

export function accessRoutes(access: AccessService): Route[] {
  return [
    route(tokenOperations.create, async ({ token, body }) => {
      const workspaceId = body.workspace_id ?? token.workspaceId
      if (workspaceId !== token.workspaceId && !token.operator)
        throw new AppError('forbidden', 'Only the operator may create tokens for another workspace', {
          errors: [{ path: '/workspace_id', message: 'must be omitted' }],
        })
      const made = await access.createToken({
        workspaceId,
        name: body.name,
        role: body.role,
        expiresInDays: body.expires_in_days,
        agentIds: body.agent_ids,
      })
      return { ...tokenOnWire(made), workspace_id: workspaceId, token: made.secret }
    }),

    route(tokenOperations.self, async ({ token }) => {
      const { created_at: _, ...self } = tokenOnWire(token)
      const { id, name } = await access.workspaceOf(token)
      return { ...self, workspace_id: id, workspace_name: name, is_operator: token.operator }
    }),

    route(tokenOperations.list, async ({ token, body }) => {
      const request = pageRequest(body)
      const page = await access.store.listTokens(token.workspaceId, request)
      return pageAnswer(request, { total: page.total, items: page.items.map(tokenOnWire) })
    }),

    route(tokenOperations.delete, async ({ token, body }) => {
      await access.deleteToken(token.workspaceId, body.id)
      return {}
    }),

    route(workspaceOperations.create, async ({ body }) => {
      const workspace = await access.createWorkspace(body.name)
      return { ...workspaceOnWire(workspace), token: workspace.secret }
    }),

    route(workspaceOperations.list, async ({ body }) => {
      const request = pageRequest(body)
      const page = await access.store.listWorkspaces(request)
      return pageAnswer(request, { total: page.total, items: page.items.map(workspaceOnWire) })
    }),

    route(workspaceOperations.delete, async ({ body }) => {
      await access.deleteWorkspace(body.id)
      return {}
    }),
  ]
}
