import type { IncomingHttpHeaders } from 'node:http'
import { invalidField } from '../kernel/app-error.ts'
import type { Expected } from '../workflow/workflow-store.ts'

export const entityTag = (value: string | number): string => `"${value}"`

/** Whether a copy with one of the tags in If-None-Match is still good. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header
    .split(',')
    .map(part => part.trim().replace(/^W\//, ''))
    .some(part => part === '*' || part === tag)
}

/** The version that a write expects, from If-Match and If-None-Match. */
export function expectedVersion(headers: IncomingHttpHeaders): Expected {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw invalidField('header/If-None-Match', 'must be * here: store only if the id is new')
    if (match !== undefined) throw invalidField('header/If-Match', 'cannot go together with If-None-Match')
    return 'absent'
  }
  if (match === undefined) return 'anything'
  if (match.trim() === '*') return 'present'
  const version = /^\s*"([1-9]\d{0,15})"\s*$/.exec(match)?.[1]
  if (version === undefined)
    throw invalidField('header/If-Match', 'must be the ETag of one version, such as "3", or *')
  return Number(version)
}
