import { invalidField } from '../kernel/app-error.ts'

/** The origin as browsers send it, without the default port of its scheme. */
export function normalOrigin(sent: string, index: number): string {
  if (sent === '*') return sent
  const [scheme, host] = sent.split('://')
  const isWildcard = host!.startsWith('*.')
  const plain = isWildcard ? `${scheme}://${host!.slice(2)}` : sent
  if (!URL.canParse(plain))
    throw invalidField(`/allowed_origins/${index}`, 'must be an origin such as https://example.com')
  const { origin } = new URL(plain)
  return isWildcard ? origin.replace('://', '://*.') : origin
}

/** Whether pages of this origin may call the agent. */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some(each => each === '*' || each === origin || matchesSubdomain(each, origin))

function matchesSubdomain(pattern: string, origin: string): boolean {
  const [scheme, suffix] = pattern.split('://*')
  return suffix !== undefined && origin.startsWith(`${scheme}://`) && origin.endsWith(suffix)
}

/** The pages that may show the chat page of an agent in a frame, as a directive of a Content-Security-Policy. */
export const frameAncestors = (allowed: readonly string[]): string =>
  `frame-ancestors ${allowed.includes('*') ? '*' : ["'self'", ...allowed].join(' ')}`
