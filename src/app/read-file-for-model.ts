import { buffer } from 'node:stream/consumers'
import type { FileService } from '../files/file-service.ts'
import { AppError } from '../kernel/app-error.ts'
import { DocumentFailure } from '../knowledge/ingest/document-failure.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import type { FileContent } from '../nodes/node-services.ts'

const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const maxImageBytes = 20 << 20
const maxDocumentBytes = 100 << 20
/** A model gets at most this much text of one file. */
const maxCharacters = 200_000

/** Stops reading early: there is enough text. */
class EnoughText extends Error {}

/** A stored file as a model can read it: an image as it is, anything else as text. */
export async function readFileForModel(
  files: Pick<FileService, 'find' | 'read'>,
  reader: DocumentReader,
  workspaceId: string,
  fileId: string,
  signal: AbortSignal,
): Promise<FileContent> {
  const file = await files.find(workspaceId, fileId)
  const { name, mimeType } = file
  const load = async (): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await buffer(await files.read(file)))
  const maxBytes = mimeType.startsWith('image/') ? maxImageBytes : maxDocumentBytes
  if (file.size > maxBytes)
    throw new AppError(
      'too_large',
      `${name} is larger than ${maxBytes >> 20} MiB, the limit for files that a model reads. Use a smaller file.`,
    )
  if (imageTypes.has(mimeType)) return { type: 'image', name, mimeType, bytes: await load() }
  let text = ''
  try {
    await reader.read(
      {
        workspaceId,
        name,
        mimeType,
        batchId: '',
        // Large chunks without overlap, so that joined together they are the text.
        chunking: { strategy: 'paragraph', size: 4000, overlap: 0 },
        load,
      },
      async ({ chunks }) => {
        for (const { content } of chunks) text += text === '' ? content : `\n${content}`
        if (text.length > maxCharacters) throw new EnoughText()
      },
      signal,
    )
  } catch (error) {
    if (error instanceof DocumentFailure)
      throw new AppError('unsupported_media_type', `${name} cannot be read: ${error.message}`, {
        cause: error,
      })
    if (!(error instanceof EnoughText)) throw error
  }
  return { type: 'text', name, text: text.slice(0, maxCharacters) }
}
