import type { KindShape } from '../../../../src/contract/kind-operations.ts'
import { sameJson } from '../model/same-json.ts'
import type { JsonObject } from './fits-shape.ts'

/**
 * The settings of a node for which an option is chosen: what the node started with for another option is replaced by what
 * fits this one, such as code in another language. What the author wrote stays.
 */
export function withOptionData(
  data: JsonObject,
  options: NonNullable<KindShape['options']>,
  chosen: unknown,
): JsonObject {
  const fitting = options.find(({ value }) => value === chosen)?.data ?? {}
  const isUntouched = (name: string): boolean =>
    data[name] === undefined ||
    data[name] === '' ||
    options.some(option => option.data !== undefined && sameJson(option.data[name], data[name]))
  return { ...data, ...Object.fromEntries(Object.entries(fitting).filter(([name]) => isUntouched(name))) }
}
