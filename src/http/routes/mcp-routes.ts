import { mcpOperations } from '../../contract/mcp-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { OriginRule } from '../cors.ts'
import { onFirstUse, type Route, route } from '../route.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

export function mcpRoutes(origins: readonly string[]): Route[] {
  const load = onFirstUse(() => import('../mcp/mcp-server.ts'))
  /** Not those of this server: a page that reaches it under another name would count as such. */
  const allowsOrigin: OriginRule = origin =>
    origins.includes(origin) || loopback.test(URL.parse(origin)?.hostname ?? '')

  const message = route(mcpOperations.message, async ({ request, reply, token, body }) => {
    const { origin } = request.headers
    // A program sends no origin. A page of a stranger must not use a token that its visitor has stored for another.
    if (origin !== undefined && !allowsOrigin(origin))
      throw new AppError(
        'forbidden',
        'Web pages of this origin may not call /mcp; the operator can allow it with MCP_ORIGINS',
      )
    // A batch would be any number of calls that count as one. The protocol has none since 2025-06-18.
    if (Array.isArray(body))
      throw new AppError('invalid_request', 'Send one message per request; batches are not supported')
    return (await load()).answerMcp(request, reply, token)
  })
  return [{ ...message, allowsOrigin }]
}
