import { limits } from '../../../contract/limits.ts'
import type { openaiOperations as operations } from '../../../contract/openai-operations.ts'
import { invalidField } from '../../../kernel/app-error.ts'
import type { Call } from '../../route.ts'

/** A file inside a message: its content, or the id of an uploaded one. */
export type SentFile = { pointer: string } & ({ name: string; base64: string } | { fileId: string })

export interface SentMessage {
  role: 'user' | 'assistant'
  text: string
  files: SentFile[]
}

/** An item of an earlier response, in place of a message. */
export interface ItemReference {
  pointer: string
  reference: string
}

/** The input in both protocols: instructions, the conversation so far, and the new message of the user. */
export interface SentInput {
  instructions: string
  earlier: (SentMessage | ItemReference)[]
  message: SentMessage
  /** The place of the content of the new message. */
  pointer: string
}

type CompletionBody = Call<typeof operations.chatCompletions>['body']
type ResponseBody = Call<typeof operations.responses>['body']
type Content<Part> = string | readonly Part[] | null | undefined
type CompletionPart = Exclude<NonNullable<CompletionBody['messages'][number]['content']>, string>[number]
type ResponseItem = Exclude<ResponseBody['input'], string>[number]
type ResponsePart = Exclude<NonNullable<ResponseItem['content']>, string>[number]

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/

/** A `data:` URL. Addresses elsewhere are not fetched. */
function fileOfUrl(url: string, pointer: string, name?: string): SentFile {
  const [head, mimeType = ''] = dataUrl.exec(url.slice(0, 1000)) ?? []
  if (head === undefined)
    throw invalidField(
      pointer,
      'must be a data: URL with base64; send the content itself, or upload the file and send its id',
    )
  const extension = extensions[mimeType] ?? mimeType.replace(/^.*\//, '')
  return {
    pointer,
    name: name ?? `${mimeType.split('/')[0] || 'file'}.${extension}`,
    base64: url.slice(head.length),
  }
}

interface FileFields {
  file_id?: string | null | undefined
  file_data?: string | undefined
  filename?: string | undefined
}

function fileOf({ file_id, file_data, filename }: FileFields, pointer: string): SentFile {
  if (typeof file_id === 'string') return { pointer: `${pointer}/file_id`, fileId: file_id }
  if (file_data === undefined) throw invalidField(pointer, 'must have file_id or file_data')
  const place = `${pointer}/file_data`
  return file_data.startsWith('data:')
    ? fileOfUrl(file_data, place, filename)
    : { pointer: place, name: filename ?? 'file', base64: file_data }
}

const missing = (pointer: string, field: string): never => {
  throw invalidField(`${pointer}/${field}`, 'is required')
}

/** The text of a part, or its file. */
function completionPart(part: CompletionPart, pointer: string): string | SentFile {
  const { type, image_url, input_audio, file } = part
  if (type === 'text') return part.text ?? missing(pointer, 'text')
  if (type === 'refusal') return part.refusal ?? ''
  if (type === 'image_url')
    return image_url ? fileOfUrl(image_url.url, `${pointer}/image_url/url`) : missing(pointer, type)
  if (type === 'file') return file ? fileOf(file, `${pointer}/file`) : missing(pointer, type)
  if (!input_audio) return missing(pointer, type)
  const { data, format } = input_audio
  return { pointer: `${pointer}/input_audio/data`, name: `recording.${format}`, base64: data }
}

function responsePart(part: ResponsePart, pointer: string): string | SentFile {
  const { type, image_url } = part
  if (type === 'input_text' || type === 'output_text') return part.text ?? missing(pointer, 'text')
  if (type === 'refusal') return part.refusal ?? ''
  if (type === 'input_image' && typeof image_url === 'string')
    return fileOfUrl(image_url, `${pointer}/image_url`)
  return fileOf(part, pointer)
}

/** Texts of one message are joined; its files keep their order. */
function readContent<Part>(
  content: Content<Part>,
  pointer: string,
  read: (part: Part, pointer: string) => string | SentFile,
): Pick<SentMessage, 'text' | 'files'> {
  if (typeof content === 'string') return { text: content, files: [] }
  const parts = (content ?? []).map((part, at) => read(part, `${pointer}/${at}`))
  return {
    text: parts.filter(part => typeof part === 'string').join('\n'),
    files: parts.filter(part => typeof part !== 'string'),
  }
}

/** `pointer` is the place of its content. */
type Entry = { role: string; pointer: string } & Pick<SentMessage, 'text' | 'files'>

/** Separates the instructions and the new message from the rest; results of tools of the client are left out. */
function arrange(entries: readonly (Entry | ItemReference)[], pointer: string, instructions = ''): SentInput {
  const isInstruction = (entry: Entry | ItemReference): entry is Entry =>
    'role' in entry && (entry.role === 'system' || entry.role === 'developer')
  const said = entries.filter(entry => !('role' in entry) || ['user', 'assistant'].includes(entry.role))
  const last = said.at(-1)
  if (!last || !('role' in last) || last.role !== 'user')
    throw invalidField(pointer, 'must end with a message of the user')
  if (last.text.length > limits.messageLength)
    throw invalidField(last.pointer, `must not have more than ${limits.messageLength} characters`)
  return {
    instructions: [instructions, ...entries.filter(isInstruction).map(({ text }) => text)]
      .filter(text => text.trim() !== '')
      .join('\n\n'),
    earlier: said.slice(0, -1) as SentInput['earlier'],
    message: last as SentMessage,
    pointer: last.pointer,
  }
}

export function completionInput({ messages }: CompletionBody): SentInput {
  const entries = messages.map(({ role, content }, at) => {
    const pointer = `/messages/${at}/content`
    return { role, pointer, ...readContent(content, pointer, completionPart) }
  })
  return arrange(entries, '/messages')
}

export function responseInput({ input, instructions }: ResponseBody): SentInput {
  const items: readonly ResponseItem[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const entries = items.map(({ type, role, content, id }, at) => {
    const item = `/input/${at}`
    if (type === 'item_reference') return { pointer: item, reference: id ?? missing(item, 'id') }
    const pointer = typeof input === 'string' ? '/input' : `${item}/content`
    return { role: role ?? missing(item, 'role'), pointer, ...readContent(content, pointer, responsePart) }
  })
  return arrange(entries, '/input', instructions ?? '')
}
