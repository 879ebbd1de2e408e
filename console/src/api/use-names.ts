import { useAll } from './use-all.ts'

/** Names by id; what has none is called by its id. Undefined while they are not known. */
export type Names = ReadonlyMap<string, string> | undefined

const namesOf = (items: { id: string; name: string }[] | undefined): Names =>
  items && new Map(items.map(({ id, name }) => [id, name || id]))

export const useAgentNames = ({ enabled = true } = {}): Names =>
  namesOf(useAll('POST /api/v1/agent/list', { enabled }).data)

export const useWorkflowNames = ({ enabled = true } = {}): Names =>
  namesOf(useAll('POST /api/v1/workflow/list', { enabled }).data)

export const optionsOf = (names: Names): { value: string; label: string }[] =>
  [...(names ?? [])].map(([value, label]) => ({ value, label }))
