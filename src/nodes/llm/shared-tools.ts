import { isJsonRecord, type JsonRecord, ownValue, type SharedToolUse } from '../../workflow/node-kind.ts'
import { type Step, stepFailed } from '../../workflow/step.ts'
import type { NodeServices } from '../node-services.ts'
import { quote, readList, readText } from '../read-setting.ts'

/** The id of a shared tool, if the entry of a list of tools refers to one. It is not a template. */
const sharedId = (entry: unknown): string | undefined =>
  isJsonRecord(entry) && ownValue(entry, 'type') === 'tool' ? readText(entry, 'id').trim() : undefined

/** The shared tools of the list in the field `name`. */
export const sharedToolsIn = (data: JsonRecord, name: string): SharedToolUse[] =>
  readList(data, name).flatMap((entry, index) => {
    const id = sharedId(entry)
    return id ? [{ id, place: [name, index, 'id'] }] : []
  })

/**
 * The list with the settings of shared tools in the place of their ids. Journaled, so that an attempt after a crash
 * continues with the same tools; the journal holds references to secrets, never their values.
 */
export async function withSharedTools(
  step: Step,
  services: NodeServices,
  list: readonly unknown[],
): Promise<readonly unknown[]> {
  const ids = [...new Set(list.flatMap(entry => sharedId(entry) ?? []))]
  if (ids.length === 0) return list
  const found: Record<string, JsonRecord> = await step.once('shared tools', () =>
    services.findTools(step.workspaceId, ids),
  )
  const missing = ids.find(id => !Object.hasOwn(found, id))
  if (missing !== undefined)
    throw stepFailed(`There is no shared tool ${quote(missing)} in this workspace; choose an existing one.`)
  const whole = list.map(entry => {
    const id = sharedId(entry)
    return id === undefined ? entry : withChoice(found[id]!, entry as JsonRecord)
  })
  await step.loadSecrets(whole)
  return whole
}

/** The tool; of an MCP server only the tools that the entry names, if it does. */
function withChoice(tool: JsonRecord, entry: JsonRecord): JsonRecord {
  const tools = ownValue(entry, 'tools')
  return Array.isArray(tools) && tools.length > 0 ? { ...tool, tools } : tool
}
