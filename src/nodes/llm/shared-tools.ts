import {
  isJsonRecord,
  type JsonRecord,
  ownValue,
  type SharedToolType,
  type SharedToolUse,
} from '../../workflow/node-kind.ts'
import { type Step, stepFailed } from '../../workflow/step.ts'
import { field } from '../kind-definition.ts'
import type { NodeServices } from '../node-services.ts'
import { quote, readList, readText, textOf } from '../read-setting.ts'
import { readSources, type Source } from './sources.ts'

/** The id of a shared tool, if the entry of a list of tools refers to one. It is not a template. */
const sharedId = (entry: unknown): string | undefined =>
  isJsonRecord(entry) && ownValue(entry, 'type') === 'tool' ? readText(entry, 'id').trim() : undefined

export const sharedToolsIn = (data: JsonRecord, name: string): SharedToolUse[] =>
  readList(data, name).flatMap((entry, index) => {
    const id = sharedId(entry)
    return id ? [{ id, place: [name, index, 'id'] }] : []
  })

/** Journaled, so that an attempt after a crash has the same tools; the journal holds references to secrets, not values. */
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

/** The field of a node that calls one shared tool. */
export const toolIdField = field(
  { is: 'text', input: 'tool' },
  ['Shared tool', 'A tool from the Tools page, with its address, headers and credentials.'],
  ['共享工具', '来自“工具”页面。地址、请求头和凭据都取自该工具。'],
)

export const toolIdIn = (data: JsonRecord): string => readText(data, 'tool_id').trim()

export const sharedToolIn =
  (type: SharedToolType) =>
  (data: JsonRecord): SharedToolUse[] => {
    const id = toolIdIn(data)
    return id === '' ? [] : [{ id, place: ['tool_id'], type }]
  }

const kindOfTool = { http: 'an HTTP request', mcp: 'an MCP tool' }

/** The shared tool that a node calls, with its secrets; undefined if the node describes its own. */
export async function sharedToolOf(
  step: Step,
  services: NodeServices,
  data: JsonRecord,
  type: SharedToolType,
): Promise<Source | undefined> {
  const id = toolIdIn(data)
  if (id === '') return undefined
  const [tool] = readSources(step, await withSharedTools(step, services, [{ type: 'tool', id }]))
  if (tool?.type === type) return tool
  const other = kindOfTool[type === 'http' ? 'mcp' : 'http']
  throw stepFailed(
    `The shared tool ${quote(tool?.name ?? id)} is not for this kind of node: call it with ${other} node.`,
  )
}

/** The arguments of a tool: an object, or a reference to one. */
export function argumentsOf(step: Step, data: JsonRecord): JsonRecord {
  const given = step.withSecrets.fill(ownValue(data, 'arguments') ?? {})
  if (!isJsonRecord(given)) throw stepFailed(`"arguments" must be an object, but is ${quote(textOf(given))}.`)
  return given
}

/** The shared tool; for an MCP server restricted to the tools that the entry names, if it does. */
function withChoice(tool: JsonRecord, entry: JsonRecord): JsonRecord {
  const tools = ownValue(entry, 'tools')
  return Array.isArray(tools) && tools.length > 0 ? { ...tool, tools } : tool
}
