import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolAnswer } from '../../tools/tool-server.ts'
import { hostOf, type ServerAddress } from './server-address.ts'
import { serverWords } from './server-words.ts'

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const maxDescriptionLength = 8000
/** The protocol advises 128. A longer one is left out: under a shorter one the server would not know the tool. */
const maxNameLength = 200

/** One page of `tools/list`. */
export function toolPageOf(server: ServerAddress, result: unknown): { tools: ServedTool[]; next: string } {
  if (!isObject(result) || !Array.isArray(result['tools']))
    throw new ToolFailure(`${hostOf(server)} did not list its tools`, { retryable: false })
  const tools = result['tools'].filter(isObject).map(tool => ({
    name: textOf(tool['name']),
    description: textOf(tool['description']).slice(0, maxDescriptionLength),
    parameters: isObject(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' },
  }))
  const named = tools.filter(({ name }) => name !== '' && name.length <= maxNameLength)
  return { tools: named, next: textOf(result['nextCursor']) }
}

/** The result of `tools/call`. */
export function toolAnswerOf(server: ServerAddress, tool: string, result: unknown): ToolAnswer {
  if (!isObject(result))
    throw new ToolFailure(`${hostOf(server)} gave no result of the tool ${tool}`, { retryable: false })
  const content = Array.isArray(result['content']) ? result['content'].filter(isObject) : []
  const structured = result['structuredContent']
  const text = content.flatMap(partText).join('\n')
  if (result['isError'] === true) {
    const words = serverWords(text, server.headers) || 'it did not say why'
    throw new ToolFailure(`The tool ${tool} failed: ${words}`, { retryable: false })
  }
  return {
    text: text === '' && structured !== undefined ? JSON.stringify(structured) : text,
    structured,
  }
}

function partText(part: JsonObject): string[] {
  if (part['type'] === 'text') return [textOf(part['text'])]
  if (part['type'] === 'resource_link') return [textOf(part['uri'])]
  const { resource } = part
  return part['type'] === 'resource' && isObject(resource) ? [textOf(resource['text'])] : []
}
