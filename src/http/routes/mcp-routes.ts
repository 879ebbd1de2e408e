import { mcpOperations } from '../../contract/mcp-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { OriginRule } from '../cors.ts'
import { onFirstUse, type Route, route } from '../route.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

export function mcpRoutes(origins: readonly string[]): Route[] {
  const load = onFirstUse(() => import('../mcp/mcp-server.ts'))
  /** This server's own origin is not allowed: a page that reaches the server under another name would count as one. */
  const allowsOrigin: OriginRule = origin =>
    origins.includes(origin) || loopback.test(URL.parse(origin)?.hostname ?? '')

  const message = route(mcpOperations.message, async ({ request, reply, token, body }) => {
    const { origin } = request.headers
    // Programs send no origin. A page of an unknown site must not use a token that its visitor has stored for another site.
    if (origin !== undefined && !allowsOrigin(origin))
      throw new AppError(
        'forbidden',
        'Web pages of this origin may not call /mcp; the operator can allow it with MCP_ORIGINS',
      )
    // A batch could hold any number of calls and would count as one. The protocol has no batches since 2025-06-18.
    if (Array.isArray(body))
      throw new AppError('invalid_request', 'Send one message per request; batches are not supported')
    return (await load()).answerMcp(request, reply, token)
  })
  return [{ ...message, allowsOrigin }]
}
