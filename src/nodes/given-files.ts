import { isJsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type RunFile, type Step, stepFailed } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { quote, textOf } from './read-setting.ts'

/** The stored files that a setting names: a file, its id, or a list of these, without empty and repeated values. */
export async function givenFiles(
  step: Step,
  services: NodeServices,
  value: unknown,
  { setting, max }: { setting: string; max: number },
): Promise<RunFile[]> {
  const given = [value].flat(2).filter(each => textOf(each).trim() !== '')
  const ids = [...new Set(given.map(each => idOf(each, setting)))]
  if (ids.length > max) throw stepFailed(`"${setting}" has ${ids.length} files; at most ${max} are allowed.`)
  if (ids.length === 0) return []
  const found = await services.findFiles(step.workspaceId, ids)
  const missing = ids.find(id => !found.some(file => file.file_id === id))
  if (missing !== undefined)
    throw stepFailed(`"${setting}" refers to a file that does not exist: ${quote(missing)}.`)
  return found
}

function idOf(value: unknown, setting: string): string {
  if (typeof value === 'string') return value.trim()
  const id = isJsonRecord(value) ? (ownValue(value, 'file_id') ?? ownValue(value, 'id')) : undefined
  if (typeof id === 'string') return id
  throw stepFailed(`"${setting}" needs files or their ids, but has ${quote(textOf(value))}.`)
}
