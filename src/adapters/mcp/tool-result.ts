import { limits } from '../../contract/limits.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolAnswer, ToolFile } from '../../tools/tool-server.ts'
import { quote, type ServerAddress, serverFailure } from './tool-server-failure.ts'

const maxDescriptionLength = 8000
/** The protocol advises 128. A longer name is skipped: the server would not know a shortened one. */
const maxNameLength = 200
const maxFileNameLength = 100

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** One page of `tools/list`. */
export function toolPageOf(server: ServerAddress, result: unknown): { tools: ServedTool[]; next: string } {
  if (!isRecord(result) || !Array.isArray(result['tools']))
    throw serverFailure(server, 'did not list its tools')
  const tools = result['tools'].filter(isRecord).map(tool => ({
    name: textOf(tool['name']),
    description: textOf(tool['description']).slice(0, maxDescriptionLength),
    parameters: isRecord(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' },
  }))
  const named = tools.filter(({ name }) => name !== '' && name.length <= maxNameLength)
  return { tools: named, next: textOf(result['nextCursor']) }
}

/** The result of `tools/call`. */
export function toolAnswerOf(server: ServerAddress, tool: string, result: unknown): ToolAnswer {
  if (!isRecord(result)) throw serverFailure(server, `returned no result of the tool ${tool}`)
  const content = Array.isArray(result['content']) ? result['content'].filter(isRecord) : []
  const structured = result['structuredContent']
  const texts: string[] = []
  const files: ToolFile[] = []
  for (const part of content) {
    const file = fileOf(part, files.length + 1)
    if (file && files.length < limits.toolFiles) files.push(file)
    else texts.push(file ? `(left out: ${file.name}, more than ${limits.toolFiles} files)` : partText(part))
  }
  const text = texts.filter(each => each !== '').join('\n')
  if (result['isError'] === true) {
    const reason = quote(text, server) || 'it gave no reason'
    throw new ToolFailure(`The tool ${tool} failed: ${reason}`, { retryable: false })
  }
  const isEmpty = text === '' && files.length === 0
  return { text: isEmpty && structured !== undefined ? JSON.stringify(structured) : text, structured, files }
}

type Part = Record<string, unknown>

function partText(part: Part): string {
  if (part['type'] === 'resource_link') {
    const name = textOf(part['title']) || textOf(part['name'])
    const uri = textOf(part['uri'])
    return [name === '' || name === uri ? uri : `${name}: ${uri}`, textOf(part['description'])]
      .filter(Boolean)
      .join('\n')
  }
  const { resource } = part
  return textOf(part['type'] === 'resource' && isRecord(resource) ? resource['text'] : part['text'])
}

/** An image, a recording, or a resource that is not text. */
function fileOf(part: Part, number: number): ToolFile | undefined {
  const { type, resource } = part
  if (type === 'image' || type === 'audio') {
    const bytes = Buffer.from(textOf(part['data']), 'base64')
    return { name: `${type}-${number}.${extensionFor(textOf(part['mimeType']))}`, bytes }
  }
  if (type !== 'resource' || !isRecord(resource) || typeof resource['blob'] !== 'string') return undefined
  const name =
    nameIn(textOf(resource['uri'])) || `resource-${number}.${extensionFor(textOf(resource['mimeType']))}`
  return { name, bytes: Buffer.from(resource['blob'], 'base64') }
}

/** Only for the name: the type of the content is detected when it is stored. */
function extensionFor(mimeType: string): string {
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]{1,10})/i.exec(mimeType)?.[1]?.toLowerCase() ?? 'bin'
  const usual: Record<string, string> = { jpeg: 'jpg', mpeg: 'mp3', plain: 'txt', octet: 'bin' }
  return usual[subtype] ?? subtype
}

/** The last part of a path, without what a file name cannot hold. */
const nameIn = (uri: string): string => {
  const last = uri.slice(-1000).split(/[?#]/)[0]!.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
      .replace(/[\p{Cc}\ufffd/\\]/gu, '')
      .trim()
      .slice(-maxFileNameLength)
      .toWellFormed()
  } catch {
    return ''
  }
}
