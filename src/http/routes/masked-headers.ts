import type { Agent } from '../../agents/agent.ts'
import { pointerSegment } from '../../contract/finding.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isJsonRecord, type JsonRecord } from '../../workflow/json-record.ts'

/** What stands in the place of a value that the caller may not see. */
const mask = '•••'

const masked = (headers: unknown): JsonRecord | string =>
  isJsonRecord(headers) ? Object.fromEntries(Object.keys(headers).map(name => [name, mask])) : mask

/** Settings without the values of their tools' headers, which are mostly keys. */
export function withMaskedHeaders(config: Agent['config']): JsonRecord {
  const tools = Object.entries(config.tools ?? {}).map(([name, tool]) => {
    const running = tool.running_config
    if (running?.['headers'] === undefined) return [name, tool]
    return [name, { ...tool, running_config: { ...running, headers: masked(running['headers']) } }]
  })
  return { ...config, ...(config.tools && { tools: Object.fromEntries(tools) }) }
}

/** What was read masked and is sent back would take the place of the keys themselves. */
export function refuseMaskedHeaders(tools: Agent['config']['tools'] | null): void {
  for (const [tool, { running_config: running }] of Object.entries(tools ?? {})) {
    const headers = running?.['headers']
    const at = `/config/tools/${pointerSegment(tool)}/running_config/headers`
    const values = isJsonRecord(headers)
      ? Object.entries(headers).map(([name, value]) => [`${at}/${pointerSegment(name)}`, value] as const)
      : [[at, headers] as const]
    const found = values.find(([, value]) => value === mask)
    if (found) throw invalidField(found[0], `${mask} only covers a value: send the value itself`)
  }
}
