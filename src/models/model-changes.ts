import { pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import type { ModelOptions } from './model-settings-store.ts'

export type Headers = Readonly<Record<string, string>>
/** Null removes a header; others stay. */
export type HeaderPatch = Readonly<Record<string, string | null>>

/** Headers that the connection and the body determine. */
const ownHeaders = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
  ...['accept', 'accept-encoding', 'expect', 'keep-alive', 'te', 'trailer', 'upgrade', 'proxy-authorization'],
])

function headerProblem(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) return 'is not the name of a header'
  if (ownHeaders.has(name)) return 'is set by the server itself'
  if (typeof value !== 'string') return 'must be a text, or null to remove the header'
  if (value.length > limits.modelHeaderLength)
    return `must have at most ${limits.modelHeaderLength} characters`
  // A line break would start another header.
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? undefined
    : 'must be visible ASCII characters'
}

/** Names are compared in lower case, as HTTP does. */
export function changedHeaders(current: Headers, patch: HeaderPatch): Headers {
  const changed: Record<string, string> = { ...current }
  for (const [given, value] of Object.entries(patch)) {
    const name = given.toLowerCase()
    const problem = value === null ? undefined : headerProblem(name, value)
    if (problem) throw invalidField(`/headers/${pointerSegment(given)}`, problem)
    if (value === null) delete changed[name]
    else changed[name] = value
  }
  if (Object.keys(changed).length > limits.modelHeaders)
    throw invalidField('/headers', `must not be more than ${limits.modelHeaders}`)
  return changed
}

/** Members that `extra_body` cannot change, because the answer would become unreadable. */
const ownMembers = ['messages', 'stream', 'model']

function checkExtraBody(extraBody: Readonly<Record<string, unknown>>): void {
  const taken = ownMembers.find(name => Object.hasOwn(extraBody, name))
  if (taken !== undefined) throw invalidField(`/extra_body/${taken}`, 'is set by the server itself')
  if (JSON.stringify(extraBody).length > limits.extraBodyLength)
    throw invalidField('/extra_body', `must have at most ${limits.extraBodyLength} characters of JSON`)
}

const optionNames = [
  ...['topP', 'frequencyPenalty', 'presencePenalty', 'stop', 'seed', 'reasoningEffort'],
  ...['contextLength', 'maxOutput', 'supports', 'inputPrice', 'outputPrice', 'extraBody', 'fallbacks'],
] as (keyof ModelOptions)[]

/** Absent members stay unchanged; null removes a value. */
export function changedOptions(
  current: ModelOptions,
  patch: { readonly [Name in keyof ModelOptions]?: ModelOptions[Name] | null },
): ModelOptions {
  if (patch.extraBody) checkExtraBody(patch.extraBody)
  const given = optionNames.filter(name => patch[name] !== undefined)
  const changed = { ...current, ...Object.fromEntries(given.map(name => [name, patch[name]])) }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null))
}
