import { mcpOperations } from '../../contract/mcp-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { onFirstUse, type Route, route } from '../route.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** A program sends no origin. A page of a stranger must not use a token that its visitor has stored for another. */
function refuseForeign(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return
  const hostname = URL.parse(origin)?.hostname
  if (hostname !== undefined && loopback.test(hostname)) return
  throw new AppError(
    'forbidden',
    'Web pages of this origin may not call /mcp; the operator can allow it with MCP_ORIGINS',
  )
}

export function mcpRoutes(origins: readonly string[]): Route[] {
  const load = onFirstUse(() => import('../mcp/mcp-server.ts'))
  return [
    route(mcpOperations.message, async ({ request, reply, token }) => {
      refuseForeign(request.headers.origin, origins)
      return (await load()).answerMcp(request, reply, token)
    }),
  ]
}
