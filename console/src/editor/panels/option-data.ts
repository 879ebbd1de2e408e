import type { KindShape } from '../../../../src/contract/kind-operations.ts'
import { sameJson } from '../model/same-json.ts'
import type { JsonObject } from './fits-shape.ts'

/**
 * The settings of a node for which an option is chosen: initial values for another option, such as code in another
 * language, are replaced by those for this one. Values that the author wrote stay.
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
