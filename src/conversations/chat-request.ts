import { buffer } from 'node:stream/consumers'
import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import type { FileService } from '../files/file-service.ts'
import type { FileRecord } from '../files/file-store.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { isBlank } from '../kernel/is-blank.ts'
import type { LanguageModels } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import type { Transcriber } from '../models/transcriber.ts'
import { runFileOf } from '../workflow/run/run-inputs.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import type { MessageType, RunFile } from '../workflow/step.ts'
import type { Annotations } from './annotations.ts'
import { type Conversation, storableText } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { EarlierMessage } from './locked-conversation.ts'
import type { TurnLifecycle } from './turn-lifecycle.ts'
import type { TurnStore } from './turn-store.ts'

export interface ChatRequest {
  dataType: MessageType
  content: string
  fileIds: readonly string[]
  userId: string | undefined
  chatId: string | undefined
  /** This message replaces this turn and all later ones. */
  replaces?: string | undefined
  messageId: string | undefined
  timestamp: number | undefined
  /** Inputs of the run, for `sys.inputs`; those of input variables are kept for the conversation. */
  inputs?: Readonly<Record<string, unknown>> | undefined
  /** Inputs that are for this turn only, whatever their names are. */
  turnInputs?: Readonly<Record<string, unknown>>
  /** Hash of the message: a known turn must be sent with the same one. Empty: not compared. */
  fingerprint: string
  /** The field in which the client named the turn; by default `/chat_id`. */
  keyField?: string
}

export interface ChatSource {
  workspaceId: string
  conversation: Pick<Conversation, 'id'>
  /** The request has no token. */
  isAnonymous: boolean
  /** The only user that its token may act for. */
  boundUser?: string | undefined
  /** Which of the files its token may not read, and therefore not send. */
  hiddenAmong?(ids: string[]): Promise<ReadonlySet<string>>
  /** Fails if no new turn is allowed now; an earlier turn is answered without this check. */
  admit(): Promise<void>
}

/** The agent and conversation that a message is sent to. The conversation belongs to the agent. */
export interface ChatTarget extends ChatSource {
  agent: Agent
  conversation: Conversation
  /** The conversation does not exist yet: it is created with the turn, after these messages. */
  earlier?: readonly EarlierMessage[] | undefined
  /** Values of input variables that such a conversation begins with. */
  inherited?: Readonly<Record<string, unknown>> | undefined
  /** The position of the message that the turn follows; if there is a later message by then, the turn is refused. */
  after?: number | undefined
}

export interface ChatInput {
  /** What is stored and shown; of a recording its transcript. */
  content: string
  files: readonly RunFile[]
}

export interface ChatParts {
  conversations: ConversationStore
  turns: TurnStore
  lifecycle: TurnLifecycle
  runs: Runs
  models: LanguageModels
  files: Pick<FileService, 'info' | 'find' | 'read'>
  /** Undefined if none is configured. */
  transcriber(workspaceId: string): Promise<Transcriber | undefined>
  clock: Clock
  annotations: Pick<Annotations, 'match' | 'countHit'>
  /** The model for titles and proposed questions, SMALL_MODEL. */
  smallModel?: string | undefined
  /** How long a turn waits for the active turn of its conversation. */
  turnWaitMilliseconds?: number
  /** Maximum number of concurrent turns without a token. */
  anonymousTurns?: number
}

const carriesFiles = {
  text: false,
  action: false,
  image: true,
  file: true,
  voice: true,
  video: true,
} as const

/** The type of the message cannot be used here. */
const unsupported = (message: string, finding: string): AppError =>
  new AppError('unsupported_media_type', message, { errors: [{ path: '/data_type', message: finding }] })

function checkForm({ dataType, content, fileIds }: ChatRequest): void {
  if (!carriesFiles[dataType] && isBlank(content))
    throw invalidField('/content', `is required for the type ${dataType}`)
  if (carriesFiles[dataType] && fileIds.length === 0)
    throw invalidField('/file_list', `needs at least one uploaded file for the type ${dataType}`)
}

/** Actions, videos, and recordings without a transcription model need a workflow: no model understands them. */
export async function checkAgent(
  { transcriber }: ChatParts,
  { workspaceId }: ChatSource,
  { config }: Agent,
  dataType: MessageType,
): Promise<void> {
  if (config.workflow_id) return
  if (dataType === 'action')
    throw unsupported(
      'Only agents with a workflow accept actions',
      'an action needs an agent with a workflow',
    )
  if (dataType === 'video') {
    const message =
      'Only agents with a workflow accept video; send single frames as images, or the sound as voice'
    throw unsupported(message, 'a video needs an agent with a workflow')
  }
  if (dataType === 'voice' && !(await transcriber(workspaceId))) {
    const message =
      'Voice messages are not configured: add a transcription model in Models, or set TRANSCRIBE_BASE_URL and TRANSCRIBE_MODEL'
    throw unsupported(message, 'voice needs a transcription service')
  }
}

/**
 * The files that a message may refer to; all others do not exist for it, such as files of another workspace, conversation
 * or user. Without a token, these are only files uploaded in the conversation: a client can read everything that it sent
 * there.
 */
export const visibleFiles = (
  files: ChatParts['files'],
  { conversation, boundUser, isAnonymous, hiddenAmong }: ChatSource,
): Pick<FileService, 'info'> => ({
  info: async (workspaceId, ids) => {
    const hidden = await hiddenAmong?.(ids)
    return files.info(
      workspaceId,
      ids,
      ({ id, conversationId, userId }) =>
        (conversationId === conversation.id || (conversationId === undefined && !isAnonymous)) &&
        (boundUser === undefined || userId === boundUser) &&
        !hidden?.has(id),
    )
  },
})

async function findFiles({ files }: ChatParts, source: ChatSource, { dataType, fileIds }: ChatRequest) {
  if (fileIds.length === 0) return []
  const { items, missing } = await visibleFiles(files, source).info(source.workspaceId, [...fileIds])
  const findings = [...fileIds.entries()]
    .filter(([, id]) => missing.includes(id))
    .map(([at, id]) => ({ path: `/file_list/${at}`, message: `refers to a file that does not exist: ${id}` }))
  if (findings[0])
    throw new AppError('invalid_request', `${findings[0].path} ${findings[0].message}`, { errors: findings })
  const byId = new Map(items.map(file => [file.id, file]))
  const found = fileIds.map(id => byId.get(id)!)
  const wrong = dataType === 'image' ? found.findIndex(file => !file.mimeType.startsWith('image/')) : -1
  if (wrong >= 0)
    throw invalidField(
      `/file_list/${wrong}`,
      `is not an image but ${found[wrong]!.mimeType}; send it as a file`,
    )
  return found
}

async function transcribe(
  files: ChatParts['files'],
  transcriber: Transcriber,
  { workspaceId, isAnonymous }: ChatSource,
  recordings: readonly FileRecord[],
  signal: AbortSignal,
): Promise<string[]> {
  const large = recordings.findIndex(file => file.size > limits.voiceBytes)
  if (large >= 0)
    throw new AppError(
      'too_large',
      `/file_list/${large}: the recording is larger than ${limits.voiceBytes} bytes; send a shorter one`,
    )
  const texts: string[] = []
  for (const { id, name, mimeType } of recordings) {
    const content = await files.read(await files.find(workspaceId, id))
    const audio = { name, mimeType, bytes: await buffer(content) }
    const text = await transcriber.transcribe(audio, { workspaceId, signal }).catch((error: unknown) => {
      if (!(error instanceof ModelFailure)) throw error
      // The message names settings of the server.
      const why = isAnonymous ? '' : `: ${error.message}`
      throw new AppError('model_failed', `The recording could not be transcribed${why}`, { cause: error })
    })
    texts.push(storableText(text.trim()))
  }
  return texts
}

/** Checks what the user sent and brings it into the form that runs take. */
export async function readInput(
  parts: ChatParts,
  source: ChatSource,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatInput> {
  checkForm(request)
  const found = await findFiles(parts, source, request)
  const transcriber = request.dataType === 'voice' ? await parts.transcriber(source.workspaceId) : undefined
  const transcripts = transcriber ? await transcribe(parts.files, transcriber, source, found, signal) : []
  const heard = transcripts.filter(Boolean).join('\n')
  // A stored recording that is sent again already begins with its transcript.
  const isStored = request.content === heard || request.content.startsWith(`${heard}\n`)
  return {
    content: isStored ? request.content : [heard, request.content].filter(Boolean).join('\n'),
    files: found.map((file, at) => {
      const transcript = transcripts[at]
      return { ...runFileOf(file), ...(transcript !== undefined && { transcript }) }
    }),
  }
}
