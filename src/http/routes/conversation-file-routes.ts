import type { AccessService } from '../../access/access-service.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import { conversationOperations as operations } from '../../contract/conversation-operations.ts'
import { limits } from '../../contract/limits.ts'
import type { WrittenBlob } from '../../files/blob-store.ts'
import { detectMimeType } from '../../files/detect-mime-type.ts'
import type { FileService } from '../../files/file-service.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatOf } from '../../knowledge/ingest/readers/document-format.ts'
import { flatSuccessText } from '../answer.ts'
import {
  type Call,
  fingerprintOf,
  idempotencyKey,
  once,
  type Route,
  route,
  type ServerParts,
} from '../route.ts'
import { receiveFile, type UploadTarget } from '../upload.ts'
import { compileBody } from '../validation.ts'
import { type ConversationParts, conversationOf } from './conversation-access.ts'
import { fileContent, fileOnWire, leastSize } from './file-routes.ts'

/** The types that models or workflows can use besides documents; in particular no programs and no archives. */
const acceptedTypes = /^(image\/(png|jpeg|gif|webp|bmp|avif|heic)|audio\/|video\/|text\/)/

interface ConversationFileParts
  extends Pick<ConversationParts, 'agents' | 'conversations'>,
    Pick<ServerParts, 'idempotency'> {
  access: Pick<AccessService, 'store'>
  quotas: Pick<QuotaService, 'refuseLarger' | 'within'>
  files: FileService
  /** The limit for all conversations of a workspace together; 0: no uploads without a token. */
  visitorStorageBytes: number
}

/** Called before the content is received and again afterwards, because uploads run in parallel. */
async function refuseFull(
  { files, visitorStorageBytes }: ConversationFileParts,
  place: { workspaceId: string; conversationId: string; bytes: number; isAnonymous: boolean },
): Promise<void> {
  const { workspaceId, conversationId, bytes, isAnonymous } = place
  const { conversationFiles: maxFiles } = limits
  if ((await files.store.countOfConversation(workspaceId, conversationId)) >= maxFiles)
    throw new AppError(
      'quota_exceeded',
      `A conversation may have ${maxFiles} uploaded files; start a new conversation`,
    )
  if (!isAnonymous) return
  const used = await files.store.bytesOfConversations(workspaceId)
  if (used >= visitorStorageBytes || used + bytes > visitorStorageBytes)
    throw new AppError('quota_exceeded', 'This agent accepts no more files at the moment; try again later')
}

async function refuseType(name: string, { head }: WrittenBlob): Promise<void> {
  const mimeType = await detectMimeType(head, name)
  // Documents of all formats that knowledge bases read are accepted.
  if (acceptedTypes.test(mimeType) || formatOf(name, mimeType) !== undefined) return
  const message = `is a file of the type ${mimeType}; send an image, audio, video, mail, or a document such as PDF, DOCX or text`
  throw new AppError('unsupported_media_type', `/file ${message}`, { errors: [{ path: '/file', message }] })
}

export function conversationFileRoutes(parts: ConversationFileParts): Route[] {
  const { files, quotas, access } = parts
  const checkJson = compileBody(operations.upload.body)
  const maxBytes = Math.min(files.maxBytes, limits.conversationFileBytes)
  const target: UploadTarget = {
    maxBytes,
    receive: source => files.receive(source, maxBytes),
    discard: blob => files.discard(blob),
  }

  const upload = async (call: Call<typeof operations.upload>): Promise<unknown> => {
    const { query, request } = call
    const retryKey = idempotencyKey(request)
    const { workspaceId, caller, conversation } = await conversationOf(parts, call, query, 'run')
    const conversationId = conversation.id
    const { token, boundUser: userId } = caller
    const scope = token ?? (await access.store.scopeOf(workspaceId))
    const refuseAbove = (bytes: number): Promise<void> =>
      refuseFull(parts, { workspaceId, conversationId, bytes, isAnonymous: !token })
    // A retry gets its stored response although the file would not fit again.
    if (!token || retryKey === undefined) {
      const bytes = leastSize(request.headers)
      await quotas.refuseLarger(scope, bytes)
      await refuseAbove(bytes)
    }
    const { name, blob } = await receiveFile(request.raw, target, { queryName: query.name, checkJson })
    let isAdding = false
    try {
      await refuseType(name, blob)
      // The upload may have taken long; in the meantime the conversation may be gone, or the agent no longer public.
      await conversationOf(parts, call, query, 'run')
      await files.repair(workspaceId, blob)
      const add = async (): Promise<unknown> => {
        await refuseAbove(blob.size)
        isAdding = true
        const stored = () => files.add(workspaceId, name, blob, { userId, conversationId })
        return fileOnWire(await quotas.within(scope, ['storageBytes'], stored))
      }
      if (retryKey === undefined) return await add()
      const fingerprint = fingerprintOf([operations.upload.name, conversationId, name, blob.sha256])
      return await once(parts, call as unknown as Call, retryKey, fingerprint, add, flatSuccessText)
    } finally {
      // After `add` only the database knows whether a row refers to it.
      if (!isAdding) await files.discard(blob)
    }
  }

  const content = async (call: Call<typeof operations.file>): Promise<unknown> => {
    const { message_id, file_id } = call.query
    const { workspaceId, conversation } = await conversationOf(parts, call, call.query, 'read')
    const message = await parts.conversations.store.message(workspaceId, conversation.id, message_id)
    if (!message?.fileIds.includes(file_id))
      throw new AppError('not_found', `The message ${message_id} has no file ${file_id}`)
    return fileContent(files, await files.find(workspaceId, file_id), call.request)
  }

  return [route(operations.upload, upload), route(operations.file, content)]
}
