import { jsonExcess, parseJson } from '../tools/json-limits.ts'
import { stepFailed } from '../workflow/step.ts'
import { quoteValue } from './read-setting.ts'

/** The elements of `items`: a list, or the JSON text of one. */
export function readItems(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? parseJson(value) : value
  if (Array.isArray(list)) return list
  const excess = typeof value === 'string' && list === undefined ? jsonExcess(value) : undefined
  if (excess !== undefined) throw stepFailed(`"items" is ${excess}; pass less.`)
  throw stepFailed(`"items" must be a list, or the JSON text of one, but is ${quoteValue(value)}.`)
}
