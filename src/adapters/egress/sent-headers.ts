/** These describe the connection, which is ours. `host` is missing here because it is always written over. */
const ownHeaders = new Set([
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
  'proxy-authorization',
])

const credential = /authori[sz]ation|cookie|token|secret|password|signature|api-?key|(^|-)key$/

/** The caller's headers in lower case. Without a wish the answer is asked for as it is, not compressed. */
export function sentHeaders(given: Record<string, string>): Record<string, string> {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    'accept-encoding': 'identity',
    ...Object.fromEntries(entries.filter(([name]) => !ownHeaders.has(name))),
  }
}

/** What may go to another origin than the one the caller meant. */
export const withoutCredentials = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !credential.test(name)))
