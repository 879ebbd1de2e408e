import { retryAfterMilliseconds } from '../../kernel/retry-after.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolServer } from '../../tools/tool-server.ts'
import { type EgressResponse, readText } from '../egress/egress.ts'

export type ServerAddress = Pick<ToolServer, 'url' | 'headers' | 'oauth'>

/** The server does not know the session any more, and did not process the request. */
export class SessionExpired extends Error {}

/** The server sent something else than JSON-RPC. */
export class InvalidRpcMessage extends Error {}

/** The server refused a request with an HTTP status. */
export class StatusFailure extends ToolFailure {
  readonly status: number

  constructor(message: string, status: number, retryAfter: number | undefined) {
    const retryable = status === 408 || status === 429 || status >= 500
    super(message, { retryable, retryAfterMilliseconds: retryAfter })
    this.status = status
  }
}

const maxQuoteLength = 1000

/** As the user wrote it, for messages. */
export const hostOf = ({ url }: ServerAddress): string =>
  URL.canParse(url) ? new URL(url).host : 'The tool server'

/** A failure that another attempt would not change. */
export const serverFailure = (server: ServerAddress, problem: string): ToolFailure =>
  new ToolFailure(`${hostOf(server)} ${problem}`, { retryable: false })

/** A message of the server for one of ours: bounded, and without the secrets that were sent to it. */
export function quote(message: string, { headers, oauth }: ServerAddress): string {
  let text = message.slice(0, maxQuoteLength * 2)
  for (const value of [...Object.values(headers), oauth?.clientSecret ?? ''])
    for (const secret of new Set([value, value.split(' ').at(-1) ?? '']))
      if (secret.length >= 6) text = text.replaceAll(secret, '***')
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text.trim()
}

export async function failureOfStatus(
  server: ServerAddress,
  response: EgressResponse,
  hasSession: boolean,
): Promise<Error> {
  const { status, headers } = response
  const message = await errorMessageOf(response)
  // The protocol defines 404; some servers send 400 and mean the same.
  if (hasSession && (status === 404 || (status === 400 && /session/i.test(message))))
    return new SessionExpired()
  const quoted = quote(message, server)
  return new StatusFailure(
    `${hostOf(server)} responded with status ${status}${quoted ? ` (${quoted})` : ''}${hintFor(response)}`,
    status,
    retryAfterMilliseconds(headers, Date.now()),
  )
}

function hintFor({ status, headers }: EgressResponse): string {
  if (status !== 401 && status !== 403) return ''
  const wantsOAuth = /resource_metadata/i.test(headers['www-authenticate'] ?? '')
  return `: check the headers ${wantsOAuth ? 'or "oauth" ' : ''}of the tool server`
}

/** The body of an error may be JSON-RPC too; a page of HTML is not worth quoting. */
async function errorMessageOf(response: EgressResponse): Promise<string> {
  const text = await readText(response)
  if (/^text\/plain/i.test(response.headers['content-type'] ?? '')) return text
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : ''
  } catch {
    return ''
  }
}
