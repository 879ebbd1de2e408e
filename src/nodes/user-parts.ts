import type { ModelPart } from '../models/language-model.ts'
import { type RunFile, type Step, StepFailure } from '../workflow/step.ts'
import { clipText } from './clip-text.ts'
import type { NodeServices } from './node-services.ts'
import { stepFailureOf } from './step-failure-of.ts'

/** Characters that one file, and all files of a turn, may take of what a model can read. */
export const fileLength = 60_000
export const allFilesLength = 120_000
/** Of all images of a turn: they are in memory several times while they are sent. */
const allImagesBytes = 40 << 20

/** What a user said together with the files that came along: one text, then the images. */
export async function userParts(
  step: Step,
  services: NodeServices,
  words: string,
  files: readonly RunFile[],
): Promise<ModelPart[]> {
  const texts = words.trim() === '' ? [] : [words]
  const images: ModelPart[] = []
  let left = allFilesLength
  let imageBytes = 0
  for (const file of files) {
    const content = await readFile(step, services, file)
    if (content.type === 'image') {
      imageBytes += content.bytes.length
      if (imageBytes > allImagesBytes) throw tooLarge()
      images.push({ type: 'image', mimeType: content.mimeType, bytes: content.bytes })
      continue
    }
    const shown = clipText(content.text, Math.min(fileLength, left))
    left -= shown.length
    texts.push(fileText(content.name, shown, content.text.length))
  }
  // Some providers refuse a message without any part, so that nothing is still an empty text.
  if (texts.length === 0 && images.length > 0) return images
  return [{ type: 'text', text: texts.join('\n\n') }, ...images]
}

function tooLarge(): StepFailure {
  const message = `The images are larger than ${allImagesBytes >> 20} MiB together; send fewer or smaller ones.`
  return new StepFailure('too_large', message)
}

function fileText(name: string, shown: string, length: number): string {
  const note = `(cut: these are the first ${shown.length} of ${length} characters)`
  return `File ${name}:\n${shown}${shown.length < length ? `\n${note}` : ''}`
}

async function readFile(step: Step, services: NodeServices, file: RunFile) {
  try {
    return await services.readFile(step.workspaceId, file.file_id, step.signal)
  } catch (error) {
    throw stepFailureOf(error)
  }
}
