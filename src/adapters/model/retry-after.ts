import type { IncomingHttpHeaders } from 'node:http'

/** How long an answer asks to wait: in seconds, as a date, or in milliseconds as some providers do. */
export function retryAfterMilliseconds(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = headers['retry-after-ms']
  if (typeof exact === 'string' && /^\d{1,9}$/.test(exact)) return Number(exact)
  const given = headers['retry-after']?.trim()
  if (given === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1000)
  const date = Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
