import type { ModelMessage, ModelPart } from '../models/language-model.ts'
import { type HistoryEntry, type RunFile, type Step, StepFailure } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { clipText } from './read-setting.ts'

/** Limits of one file, and of all files of a turn, so that they leave room in the model's context. */
export const maxFileCharacters = 60_000
export const maxAllFilesCharacters = 120_000
/** Limit of all images of a turn: several copies are in memory while they are sent. */
const maxImageBytes = 40 << 20

/** A user message with its files: one text, then the images. */
export async function userParts(
  step: Step,
  services: NodeServices,
  message: string,
  files: readonly RunFile[],
): Promise<ModelPart[]> {
  const texts = message.trim() === '' ? [] : [message]
  const images: ModelPart[] = []
  let left = maxAllFilesCharacters
  let imageBytes = 0
  for (const file of files) {
    const content = await services.readFile(step.workspaceId, file.file_id, step.signal)
    if (content.type === 'image') {
      imageBytes += content.bytes.length
      if (imageBytes > maxImageBytes) throw tooLarge()
      images.push({ type: 'image', mimeType: content.mimeType, bytes: content.bytes })
      continue
    }
    const shown = clipText(content.text, Math.min(maxFileCharacters, left))
    left -= shown.length
    texts.push(fileText(content.name, shown, content.text.length))
  }
  // Some providers reject a message without parts, so an empty message is still an empty text.
  if (texts.length === 0 && images.length > 0) return images
  return [{ type: 'text', text: texts.join('\n\n') }, ...images]
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

function tooLarge(): StepFailure {
  const message = `The images are larger than ${maxImageBytes >> 20} MiB in total; send fewer or smaller ones.`
  return new StepFailure('too_large', message)
}

function fileText(name: string, shown: string, length: number): string {
  const note = `(cut: these are the first ${shown.length} of ${length} characters)`
  return `File ${name}:\n${shown}${shown.length < length ? `\n${note}` : ''}`
}

/** The messages of the last turns; a turn starts with a message of the user. */
export function recentTurns(history: readonly HistoryEntry[], turns: number): ModelMessage[] {
  if (turns <= 0) return []
  let from = history.length
  for (let left = turns; left > 0 && from > 0; ) {
    from -= 1
    // Consecutive messages of the user are one turn.
    if (history[from]?.role === 'user' && history[from - 1]?.role !== 'user') left -= 1
  }
  return history.slice(from).flatMap(messageOf)
}

function messageOf({ role, content }: HistoryEntry): ModelMessage[] {
  // Providers reject empty messages, such as that of a turn with only a file.
  if (content.trim() === '') return []
  return role === 'user'
    ? [{ role, parts: [{ type: 'text', text: content }] }]
    : [{ role, text: content, toolCalls: [] }]
}
