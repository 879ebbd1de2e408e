import { buffer } from 'node:stream/consumers'
import type { FileService } from '../files/file-service.ts'
import { AppError } from '../kernel/app-error.ts'
import { DocumentFailure } from '../knowledge/ingest/document-failure.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import type { FileContent } from '../nodes/node-services.ts'

const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const largestImage = 20 << 20
const largestDocument = 100 << 20
/** More text than any model is given of one file. */
const mostCharacters = 200_000

/** Ends the reading of a document early; nothing went wrong. */
class EnoughRead extends Error {}

/** What a model can read of a stored file: an image as it is, of anything else its text. */
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
  const most = mimeType.startsWith('image/') ? largestImage : largestDocument
  if (file.size > most)
    throw new AppError('too_large', `${name} is larger than the ${most >> 20} MiB that a model is given`)
  if (imageTypes.has(mimeType)) return { type: 'image', name, mimeType, bytes: await load() }
  let text = ''
  try {
    await reader.read(
      {
        name,
        mimeType,
        batchId: '',
        // Cut into large pieces without overlap, so that put together they are the text.
        chunking: { strategy: 'paragraph', size: 4000, overlap: 0 },
        load,
      },
      async ({ chunks }) => {
        for (const { content } of chunks) text += text === '' ? content : `\n${content}`
        if (text.length > mostCharacters) throw new EnoughRead()
      },
      signal,
    )
  } catch (error) {
    if (error instanceof DocumentFailure)
      throw new AppError('unsupported_media_type', `${name} cannot be read: ${error.message}`, {
        cause: error,
      })
    if (!(error instanceof EnoughRead)) throw error
  }
  return { type: 'text', name, text: text.slice(0, mostCharacters) }
}
