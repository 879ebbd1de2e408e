/** How long a response asks to wait: in seconds, as a date, or in milliseconds as some providers do. */
export function retryAfterMilliseconds(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const exact = headers['retry-after-ms']
  if (typeof exact === 'string' && /^\d{1,9}$/.test(exact)) return Number(exact)
  const given = headers['retry-after']
  if (typeof given !== 'string') return undefined
  if (/^\s*\d{1,9}(\.\d+)?\s*$/.test(given)) return Math.ceil(Number(given) * 1000)
  const date = Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
