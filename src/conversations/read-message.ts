import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import type { FileRecord } from '../files/file-store.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { Transcriber } from '../models/transcriber.ts'
import type { RunFile } from '../workflow/step.ts'
import type { ChatRequest } from './chat-request.ts'
import { storableText } from './storable-text.ts'

export interface ReadMessage {
  /** What is stored and shown: for speech, its words. */
  content: string
  files: readonly RunFile[]
}

export interface MessageReader {
  files: Pick<FileService, 'info' | 'find' | 'read'>
  /** Undefined where none is configured. */
  transcriber: Transcriber | undefined
}

const carriesFiles = {
  text: false,
  action: false,
  image: true,
  file: true,
  voice: true,
  video: true,
} as const

function checkForm({ dataType, content, fileIds }: ChatRequest): void {
  if (!carriesFiles[dataType] && content.trim() === '')
    throw invalidField('/content', `is required for the type ${dataType}`)
  if (carriesFiles[dataType] && fileIds.length === 0)
    throw invalidField('/file_list', `must name at least one uploaded file for the type ${dataType}`)
  if (dataType === 'video')
    throw new AppError(
      'unsupported_media_type',
      'No model here takes video; send single frames as an image, or the sound as voice',
      { errors: [{ path: '/data_type', message: 'video is not understood' }] },
    )
}

/** Files are looked for in the workspace alone: those of another one are as absent as any that never were. */
async function findFiles(
  { files }: MessageReader,
  workspaceId: string,
  { dataType, fileIds }: ChatRequest,
): Promise<FileRecord[]> {
  if (fileIds.length === 0) return []
  const { items, missing } = await files.info(workspaceId, [...fileIds])
  const findings = [...fileIds.entries()]
    .filter(([, id]) => missing.includes(id))
    .map(([at, id]) => ({ path: `/file_list/${at}`, message: `names no file here: ${id}` }))
  if (findings[0])
    throw new AppError('invalid_request', `${findings[0].path} ${findings[0].message}`, { errors: findings })
  const byId = new Map(items.map(file => [file.id, file]))
  const found = fileIds.map(id => byId.get(id)!)
  const other = dataType === 'image' ? found.findIndex(file => !file.mimeType.startsWith('image/')) : -1
  if (other >= 0)
    throw invalidField(`/file_list/${other}`, `is no image but ${found[other]!.mimeType}; send it as a file`)
  return found
}

async function bytesOf({ files }: MessageReader, workspaceId: string, id: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const content = await files.read(await files.find(workspaceId, id))
  for await (const chunk of content) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

async function transcribe(
  reader: MessageReader,
  workspaceId: string,
  recordings: readonly FileRecord[],
  signal: AbortSignal,
): Promise<string> {
  const { transcriber } = reader
  if (!transcriber)
    throw new AppError(
      'unsupported_media_type',
      'Speech is not understood here: set TRANSCRIBE_BASE_URL and TRANSCRIBE_MODEL to turn it into text',
      { errors: [{ path: '/data_type', message: 'voice needs a transcription service' }] },
    )
  const large = recordings.findIndex(file => file.size > limits.voiceBytes)
  if (large >= 0)
    throw new AppError('too_large', `/file_list/${large}: a recording may have ${limits.voiceBytes} bytes`)
  const texts: string[] = []
  for (const { id, name, mimeType } of recordings) {
    const audio = { name, mimeType, bytes: await bytesOf(reader, workspaceId, id) }
    texts.push(
      await transcriber.transcribe(audio, signal).catch((error: unknown) => {
        if (!(error instanceof ModelFailure)) throw error
        throw new AppError('model_failed', `The speech could not be read: ${error.message}`, { cause: error })
      }),
    )
  }
  return storableText(texts.map(text => text.trim()).join('\n'))
}

/** Checks what the user sent and brings it into the form that runs take. */
export async function readMessage(
  reader: MessageReader,
  workspaceId: string,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ReadMessage> {
  checkForm(request)
  const found = await findFiles(reader, workspaceId, request)
  const spoken =
    request.dataType === 'voice' ? await transcribe(reader, workspaceId, found, signal) : undefined
  return {
    content: [spoken, request.content].filter(Boolean).join('\n'),
    // The words stand for the recording, which no model gets to hear.
    files:
      request.dataType === 'voice'
        ? []
        : found.map(({ id, name, mimeType, size }) => ({ file_id: id, name, mime_type: mimeType, size })),
  }
}
