import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowsOrigin } from '../agents/allowed-origins.ts'
import { AppError } from '../kernel/app-error.ts'
import { ignoredFieldsHeader } from './ignored-fields.ts'

export const visitorHeader = 'x-visitor'

const sentHeaders = [
  ...['authorization', 'content-type', 'content-disposition', 'idempotency-key', 'last-event-id'],
  ...['traceparent', 'x-traceid', 'mcp-protocol-version', 'mcp-session-id', visitorHeader],
]
const readHeaders = [
  ...['x-traceid', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  ...[
    'idempotency-replayed',
    ignoredFieldsHeader,
    'etag',
    'content-disposition',
    'content-range',
    'www-authenticate',
  ],
]

/** Characters of the list of names that a browser asks for. */
const maxAskedLength = 2000
const headerName = /^[\w!#$%&'*+.^`|~-]+$/

/** The known headers, and those that the page asks for: packages such as `openai` send headers of their own. */
function headersFor(asked = ''): string[] {
  const names = asked.length > maxAskedLength ? [] : asked.toLowerCase().split(',')
  const valid = names.map(name => name.trim()).filter(name => headerName.test(name))
  return [...new Set([...sentHeaders, ...valid])]
}

/** Whether pages of an origin may call an operation. */
export type OriginRule = (origin: string) => boolean

const opens = (reply: FastifyReply, origin: string): FastifyReply =>
  reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' })

/** Lets pages of the origin read the response. */
export const openResponse = (reply: FastifyReply, origin: string): FastifyReply =>
  opens(reply, origin).header('access-control-expose-headers', readHeaders.join(', '))

/** Browsers send neither token nor agent with a preflight; the request that follows is checked. */
export function answerPreflights(
  app: FastifyInstance,
  url: string,
  methods: readonly string[],
  allows: OriginRule = () => true,
): void {
  app.route({
    method: 'OPTIONS',
    url,
    config: { isPreflight: true },
    handler: ({ headers }, reply) => {
      const { origin } = headers
      if (origin !== undefined && !allows(origin))
        throw new AppError('forbidden', `Web pages of ${origin} may not call this operation`)
      if (origin !== undefined)
        opens(reply, origin).headers({
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': headersFor(headers['access-control-request-headers']).join(', '),
          'access-control-max-age': '600',
        })
      return reply
        .code(204)
        .header('allow', [...methods, 'OPTIONS'].join(', '))
        .send()
    },
  })
}

/** The browser says so, or the host names are equal; behind a proxy the scheme may differ. */
const isOwnPage = ({ headers, host }: FastifyRequest, origin: string): boolean =>
  headers['sec-fetch-site'] === 'same-origin' || (URL.canParse(origin) && new URL(origin).host === host)

/** From pages of other origins a request without a token is refused, so that it has no effect either. */
export function admitOrigin(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): void {
  const { origin } = request.headers
  if (origin === undefined || isOwnPage(request, origin)) return
  if (allowsOrigin(allowed, origin)) openResponse(reply, origin)
  else if (!request.token)
    throw new AppError(
      'forbidden',
      `This agent may not be called from pages of ${origin}; add it to the allowed origins of the agent`,
    )
}
