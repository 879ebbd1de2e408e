import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../files/blob-store.ts'
import { invalidField } from '../kernel/app-error.ts'
import type { Expected, WorkflowSummary } from '../workflow/workflow-store.ts'
import { Answer } from './answer.ts'

export const entityTag = (value: string): string => `"${value}"`

/** Headers of a response that a client may keep if it asks each time; what it gets depends on its token. */
export const revalidated = { 'cache-control': 'private, no-cache', vary: 'authorization' }

/** Another workspace, or this one before a backup was restored, may have the same id and version. */
export function workflowTag(
  workspaceId: string,
  workflow: Pick<WorkflowSummary, 'id' | 'version' | 'createdAt' | 'updatedAt' | 'publishedAt'>,
): string {
  const { publishedAt } = workflow
  const published = publishedAt === undefined ? '' : `.${publishedAt.toString(36)}`
  return entityTag(`${workflow.version}-${graphState(workspaceId, workflow)}${published}`)
}

const graphState = (
  workspaceId: string,
  { id, createdAt, updatedAt }: Pick<WorkflowSummary, 'id' | 'createdAt' | 'updatedAt'>,
): string =>
  hash('sha256', `${workspaceId} ${id} ${createdAt} ${updatedAt}`, 'base64url').slice(0, stateLength)

const stateLength = 16
/** Matches one tag of a workflow, or a version number as a tag. */
const oneVersion = new RegExp(`^"([1-9]\\d{0,15})(?:-([\\w-]{${stateLength}})(?:\\.[a-z0-9]+)?)?"$`)
/** Matches a list of tags as in RFC 9110, 8.8.3. A proxy that compresses a response makes its tag weak. */
const tagList = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*$/

export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header
    .split(',')
    .map(part => part.trim().replace(/^W\//, ''))
    .some(part => part === '*' || part === tag)
}

/** The response, or 304 if the client has this version already. */
export const conditionalAnswer = (
  request: { headers: IncomingHttpHeaders },
  headers: Record<string, string> & { etag: string },
  body: string | Buffer,
): Answer =>
  matchesTag(request.headers['if-none-match'], headers.etag)
    ? new Answer(304, headers)
    : new Answer(200, headers, body)

/** The state that a write expects, from If-Match and If-None-Match. A version number is accepted as a tag. */
export function expectedState(headers: IncomingHttpHeaders, workspaceId: string): Expected {
  const match = headers['if-match']?.trim()
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw invalidField('header/If-None-Match', 'must be *, which stores only if the id does not exist')
    if (match !== undefined) throw invalidField('header/If-Match', 'cannot be combined with If-None-Match')
    return 'absent'
  }
  if (match === undefined) return 'anything'
  if (match === '*') return 'present'
  if (!tagList.test(match))
    throw invalidField('header/If-Match', 'must be an ETag, a version such as "3", or *')
  // A publication changes what a reader gets, but not the graph that a writer has edited.
  const tags = match.split(',').flatMap(tag => {
    const [, version, state] = oneVersion.exec(tag.trim().replace(/^W\//, '')) ?? []
    return version === undefined ? [] : [{ version: Number(version), state }]
  })
  return current =>
    tags.some(
      ({ version, state }) =>
        version === current.version && (state === undefined || state === graphState(workspaceId, current)),
    )
}

const singleRange = /^bytes=(\d*)-(\d*)$/i

/** Undefined for the whole content: other units and malformed or multiple ranges are ignored (RFC 9110, 14.2). */
export const contentRange = (
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined => {
  const [, first, last] = singleRange.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined) return undefined

  if (first === '') {
    if (last === '') return undefined
    const length = Number(last)
    if (length === 0) return 'unsatisfiable'
    // A Content-Range cannot express an empty range, so an empty file is sent whole.
    return size === 0 ? undefined : { start: Math.max(0, size - length), end: size - 1 }
  }

  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (start > end) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}

/** A downloaded file must not leave its directory or be hidden, whatever the client does with the name. */
const safeName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f/\\]/g, '_')
    .replace(/^\.+/, dots => '_'.repeat(dots.length))

/** `%` is replaced too, because some clients decode it here (RFC 6266, appendix D). */
const asciiFallback = (name: string): string => name.replace(/[^\x20-\x7e]|["%]/gu, '_')

/** Also escapes what encodeURIComponent leaves alone but RFC 8187 does not allow. */
const extendedValue = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Content-Disposition of a download (RFC 6266), with an ASCII fallback. */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string): string => {
  const safe = safeName(name)
  return `${kind}; filename="${asciiFallback(safe)}"; filename*=UTF-8''${extendedValue(safe)}`
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const dispositionType = new RegExp(`[ \\t]*${token}[ \\t]*`, 'y')
const parameter = new RegExp(
  `;[ \\t]*(${token})[ \\t]*=[ \\t]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*`,
  'y',
)

/** `undefined` for a malformed header or a duplicate parameter. */
const parametersOf = (header: string): Map<string, string> | undefined => {
  dispositionType.lastIndex = 0
  if (!dispositionType.test(header)) return undefined
  const parameters = new Map<string, string>()
  let position = dispositionType.lastIndex
  while (position < header.length) {
    parameter.lastIndex = position
    const [, key, bare, quoted] = parameter.exec(header) ?? []
    if (key === undefined || parameters.has(key.toLowerCase())) return undefined
    parameters.set(key.toLowerCase(), bare ?? quoted!.replace(/\\(.)/g, '$1'))
    position = parameter.lastIndex
  }
  return parameters
}

const decodeExtended = (value: string): string | undefined => {
  const [, encoded] =
    /^utf-8'[A-Za-z0-9-]*'((?:[!#$&+.^_`|~0-9A-Za-z-]|%[0-9A-Fa-f]{2})*)$/i.exec(value) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Node decodes header bytes as Latin-1, but clients without `filename*` send UTF-8. */
const decodePlain = (value: string): string | undefined => {
  if (/[^\u0000-\u00ff]/.test(value)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return undefined
  }
}

/** The file name in the Content-Disposition of a request; `undefined` if it is missing or malformed. */
export const fileNameFrom = (header: string | undefined): string | undefined => {
  const parameters = parametersOf(header ?? '')
  const extended = parameters?.get('filename*')
  if (extended !== undefined) return decodeExtended(extended)
  const plain = parameters?.get('filename')
  return plain === undefined ? undefined : decodePlain(plain)
}
