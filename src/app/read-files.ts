import { buffer } from 'node:stream/consumers'
import type { FileService } from '../files/file-service.ts'
import type { LocatedFile } from '../files/file-store.ts'
import { AppError } from '../kernel/app-error.ts'
import { DocumentFailure } from '../knowledge/ingest/document-failure.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { FileContent, TextRequest } from '../nodes/node-services.ts'

const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const maxImageBytes = 20 << 20
const maxDocumentBytes = 100 << 20
/** A model gets at most this much text of one file. */
const maxCharacters = 200_000

/** Thrown to stop reading once there is enough text. */
class EnoughText extends Error {}

type Files = Pick<FileService, 'find' | 'read'>

/** A stored file as a model can read it: an image as it is, anything else as text. */
export async function readFileForModel(
  files: Files,
  reader: DocumentReader,
  workspaceId: string,
  fileId: string,
  signal: AbortSignal,
): Promise<FileContent> {
  const file = await files.find(workspaceId, fileId)
  const { name, mimeType } = file
  if (imageTypes.has(mimeType)) {
    refuseLarger(file, maxImageBytes)
    return { type: 'image', name, mimeType, bytes: await load(files, file) }
  }
  const request = { fileId, maxLength: maxCharacters, signal, onStart: () => {} }
  const text = await extractText(files, reader, workspaceId, request)
  return { type: 'text', name, text: text.slice(0, maxCharacters) }
}

/** The text of a stored document, read by the threads that read documents for knowledge bases. */
export async function extractText(
  files: Files,
  reader: DocumentReader,
  workspaceId: string,
  { fileId, maxLength, signal, onStart }: TextRequest,
): Promise<string> {
  const file = await files.find(workspaceId, fileId)
  const { name, mimeType, size } = file
  refuseLarger(file, maxDocumentBytes)
  let text = ''
  try {
    await reader.read(
      {
        workspaceId,
        name,
        mimeType,
        size,
        batchId: '',
        // Large chunks without overlap, so that joined together they are the text.
        chunking: { strategy: 'paragraph', size: 4000, overlap: 0 },
        load: () => load(files, file),
        onStart,
      },
      async ({ chunks }) => {
        for (const { content } of chunks) text += text === '' ? content : `\n${content}`
        if (text.length > maxLength) throw new EnoughText()
      },
      signal,
    )
  } catch (error) {
    if (error instanceof DocumentFailure)
      throw new AppError('unsupported_media_type', `${name} cannot be read: ${error.message}`, {
        cause: error,
      })
    if (error instanceof ModelFailure)
      throw new AppError('model_failed', `${name} cannot be read: ${error.message}`, { cause: error })
    if (!(error instanceof EnoughText)) throw error
  }
  return text
}

const load = async (files: Files, file: LocatedFile): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await buffer(await files.read(file)))

function refuseLarger({ name, size }: LocatedFile, maxBytes: number): void {
  if (size > maxBytes)
    throw new AppError(
      'too_large',
      `${name} is larger than ${maxBytes >> 20} MiB, the limit for files that a node reads. Use a smaller file.`,
    )
}
