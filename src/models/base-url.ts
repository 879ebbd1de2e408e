import { invalidField } from '../kernel/app-error.ts'

const problemOf = (baseUrl: string): string | undefined => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http:// or https:// address'
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or a password; send the key in api_key'
  if (url.hash !== '') return 'must not have a part after #'
  return undefined
}

/** Which addresses may really be called is decided where a connection is made: a name can point anywhere by then. */
export function checkBaseUrl(baseUrl: string): void {
  const problem = problemOf(baseUrl)
  if (problem) throw invalidField('/base_url', problem)
}

export const isSameServer = (one: string, other: string): boolean =>
  new URL(one).origin === new URL(other).origin
