import type { ModelMessage, ModelPart } from '../models/language-model.ts'
import { type HistoryEntry, type RunFile, type Step, StepFailure } from '../workflow/step.ts'
import { stepFailureOf } from './kind-definition.ts'
import type { FileContent, NodeServices } from './node-services.ts'
import { clipText } from './read-setting.ts'

/** Limits of one file, and of all files of a prompt, so that they leave room in the model's context. */
export const maxFileCharacters = 60_000
export const maxAllFilesCharacters = 120_000
/** Limit of all images of a prompt: several copies are in memory while they are sent. */
const maxImageBytes = 40 << 20

const recordingName =
  /\.(mp3|wav|m4a|aac|amr|wma|og[ag]|opus|flac|mp4|m4v|mov|webm|mkv|avi|mpe?g|3gp|wmv|flv)$/i

/** Recordings, which models do not read. Some formats have no magic bytes, so the name decides for an unknown type. */
const isRecording = ({ mime_type: type, name }: RunFile): boolean =>
  /^(audio|video)\//.test(type) ||
  (/^(application\/octet-stream|text\/plain)$/.test(type) && recordingName.test(name))

/** The ids of files that were sent only with earlier messages. */
const earlierFiles = ({ system }: Step): Set<string> =>
  new Set(system.history.flatMap(({ files = [] }) => files.map(file => file.file_id)))

/** The files that came with the current message. */
export const newFiles = (step: Step): RunFile[] => {
  const earlier = earlierFiles(step)
  return step.system.files.filter(file => !earlier.has(file.file_id))
}

/** Files of the current message come first, and fail the step if unreadable; the history names earlier ones anyway. */
export class PromptFiles {
  readonly #step: Step
  readonly #services: NodeServices
  readonly #earlier: ReadonlySet<string>
  #characters = maxAllFilesCharacters
  #imageBytes = maxImageBytes

  constructor(step: Step, services: NodeServices) {
    this.#step = step
    this.#services = services
    this.#earlier = earlierFiles(step)
  }

  /** A user message with its files: one text, then the images. */
  async message(message: string, files: readonly RunFile[]): Promise<ModelPart[]> {
    const texts = message.trim() === '' ? [] : [message]
    const images: ModelPart[] = []
    for (const file of files) {
      const content = await this.#read(file)
      if (content?.type === 'image') images.push(content.image)
      else if (content) texts.push(content.text)
    }
    // Some providers reject a message without parts, so an empty message is still an empty text.
    if (texts.length === 0 && images.length > 0) return images
    return [{ type: 'text', text: texts.join('\n\n') }, ...images]
  }

  /** The messages of earlier turns, oldest first; the newest files are read first. */
  async history(entries: readonly HistoryEntry[]): Promise<ModelMessage[]> {
    const messages: ModelMessage[] = []
    for (const { role, content, files = [] } of entries.toReversed()) {
      // Providers reject empty messages, such as that of a turn with only a file.
      if (content.trim() === '' && files.length === 0) continue
      if (role === 'user') messages.push({ role, parts: await this.message(content, files) })
      else messages.push({ role, text: content, toolCalls: [] })
    }
    return messages.reverse()
  }

  async #read(file: RunFile) {
    const isEarlier = this.#earlier.has(file.file_id)
    if (file.transcript !== undefined) return undefined
    if (isRecording(file)) return isEarlier ? undefined : unreadable(file)
    const isUseless = this.#characters === 0 && !file.mime_type.startsWith('image/')
    if (isEarlier && isUseless) return undefined
    const content = await this.#content(file, isEarlier)
    if (content?.type === 'text') return this.#text(content)
    return content && this.#image(content, isEarlier)
  }

  async #content({ file_id: id }: RunFile, isEarlier: boolean): Promise<FileContent | undefined> {
    const { workspaceId, signal } = this.#step
    try {
      return await this.#services.readFile(workspaceId, id, signal)
    } catch (error) {
      const failure = stepFailureOf(error)
      if (isEarlier && failure instanceof StepFailure && !failure.retryable) return undefined
      throw error
    }
  }

  #text({ name, text }: Extract<FileContent, { type: 'text' }>) {
    const shown = clipText(text, Math.min(maxFileCharacters, this.#characters))
    this.#characters -= shown.length
    return { type: 'text', text: fileText(name, shown, text.length) } as const
  }

  #image({ mimeType, bytes }: Extract<FileContent, { type: 'image' }>, isEarlier: boolean) {
    if (bytes.length > this.#imageBytes) {
      if (isEarlier) return undefined
      const limit = `${maxImageBytes >> 20} MiB`
      throw new StepFailure(
        'too_large',
        `The images are larger than ${limit} in total; send fewer or smaller ones.`,
      )
    }
    this.#imageBytes -= bytes.length
    return { type: 'image', image: { type: 'image', mimeType, bytes } } as const
  }
}

const unreadable = ({ name, mime_type: type }: RunFile) =>
  ({ type: 'text', text: `File ${name} (${type}): you cannot see or hear its content.` }) as const

function fileText(name: string, shown: string, length: number): string {
  const note = `(cut: these are the first ${shown.length} of ${length} characters)`
  return `File ${name}:\n${shown}${shown.length < length ? `\n${note}` : ''}`
}

/** The entries of the last turns; a turn starts with a message of the user. */
export function recentTurns(history: readonly HistoryEntry[], turns: number): readonly HistoryEntry[] {
  if (turns <= 0) return []
  let from = history.length
  for (let left = turns; left > 0 && from > 0; ) {
    from -= 1
    // Consecutive messages of the user are one turn.
    if (history[from]?.role === 'user' && history[from - 1]?.role !== 'user') left -= 1
  }
  return history.slice(from)
}

interface Prompt {
  prompt: string
  historyTurns: number
  attachesFiles: boolean
  /** Files to use instead of those of the message and of recent turns. */
  files?: readonly RunFile[] | undefined
}

/** The history and the prompt, with files. Files of earlier turns are sent as far as their turns are. */
export async function promptMessages(
  step: Step,
  services: NodeServices,
  { prompt, historyTurns, attachesFiles, files: given }: Prompt,
): Promise<{ messages: ModelMessage[]; hasFiles: boolean }> {
  const recent = recentTurns(step.system.history, historyTurns)
  const history: readonly HistoryEntry[] = attachesFiles
    ? recent
    : recent.map(({ role, content }) => ({ role, content }))
  const inHistory = new Set(history.flatMap(({ files = [] }) => files.map(file => file.file_id)))
  const sent = given ?? step.system.files.filter(file => !inHistory.has(file.file_id))
  const files = attachesFiles ? sent : []
  const reader = new PromptFiles(step, services)
  const parts = await reader.message(prompt, files)
  const before = await reader.history(history)
  return { messages: [...before, { role: 'user', parts }], hasFiles: files.length > 0 || inHistory.size > 0 }
}

/** Those of the files that a model can see, as far as they are within the limit. */
export async function imageParts(
  step: Step,
  services: NodeServices,
  files: readonly RunFile[],
): Promise<ModelPart[]> {
  const images: ModelPart[] = []
  let left = maxImageBytes
  for (const file of files.filter(({ mime_type }) => isShownType(mime_type))) {
    left -= file.size
    if (left < 0) break
    const content = await services.readFile(step.workspaceId, file.file_id, step.signal)
    if (content.type === 'image')
      images.push({ type: 'image', mimeType: content.mimeType, bytes: content.bytes })
  }
  return images
}

const isShownType = (mimeType: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(mimeType)
