const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** Finds texts that may contain such a number; most do not, and are parsed faster. */
const suspicious = /[\d.]{16}|[eE][+-]?\d{3}|-0/

/**
 * Parses JSON but keeps a number that would lose digits as raw JSON, which `JSON.stringify` writes unchanged: graphs are
 * stored as they were sent.
 */
export const parseExact = (text: string): unknown =>
  suspicious.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)

const exactNumber = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && String(value) !== context?.source ? rawJSON(context!.source!) : value
