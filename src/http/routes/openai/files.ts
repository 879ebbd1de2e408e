import { createHash } from 'node:crypto'
import type { TokenRecord } from '../../../access/access-store.ts'
import type { QuotaService } from '../../../access/quota-service.ts'
import { limits } from '../../../contract/limits.ts'
import { checkFileName } from '../../../files/file-name.ts'
import type { FileService } from '../../../files/file-service.ts'
import type { FileRecord } from '../../../files/file-store.ts'
import { AppError, invalidField } from '../../../kernel/app-error.ts'
import type { MessageType } from '../../../workflow/step.ts'
import { decodeBase64 } from '../../upload.ts'
import { type ConversationParts, hiddenDocuments } from '../conversation-access.ts'
import type { SentFile } from './input.ts'

export interface FileParts extends Pick<ConversationParts, 'conversations'> {
  files: FileService
  quotas: Pick<QuotaService, 'refuseLarger' | 'within'>
}

/** Clients send the whole conversation every time: a file that the user has sent before is not stored again. */
export async function storeFiles(
  parts: FileParts,
  token: TokenRecord | undefined,
  sent: readonly SentFile[],
  conversationId?: string,
): Promise<FileRecord[]> {
  if (sent.length === 0) return []
  if (!token)
    throw new AppError('token_missing', 'Files need a token: send one as Authorization: Bearer <token>')
  if (sent.length > limits.messageFiles)
    throw invalidField(sent[limits.messageFiles]!.pointer, `is more than ${limits.messageFiles} files`)
  const stored: FileRecord[] = []
  for (const file of sent)
    stored.push(
      'fileId' in file
        ? await findFile(parts, token, file, conversationId)
        : await storeFile(parts, token, file),
    )
  return stored
}

/** A file that was uploaded in a conversation can be sent only there. */
async function findFile(
  parts: FileParts,
  token: TokenRecord,
  sent: { fileId: string; pointer: string },
  conversationId: string | undefined,
): Promise<FileRecord> {
  const { workspaceId, userId } = token
  const isVisible = (file: FileRecord): boolean =>
    (file.conversationId === undefined || file.conversationId === conversationId) &&
    (userId === undefined || file.userId === userId)
  const { items } = await parts.files.info(workspaceId, [sent.fileId], isVisible)
  const hidden = await hiddenDocuments(parts, token, [sent.fileId])
  if (!items[0] || hidden.size > 0)
    throw invalidField(sent.pointer, `refers to a file that does not exist: ${sent.fileId}`)
  return items[0]
}

async function storeFile(
  { files, quotas }: FileParts,
  token: TokenRecord,
  { name, base64, pointer }: { name: string; base64: string; pointer: string },
): Promise<FileRecord> {
  const { workspaceId, userId = '' } = token
  checkFileName(name, pointer)
  const hashing = createHash('sha256')
  for await (const piece of decodeBase64(base64, pointer)) hashing.update(piece)
  const sha256 = hashing.digest('hex')
  const known = await files.store.findSame(workspaceId, { sha256, name, userId })
  if (known) return known
  await quotas.refuseLarger(token, (base64.length * 3) / 4)
  const blob = await files.receive(decodeBase64(base64, pointer))
  await files.repair(workspaceId, blob)
  return quotas.within(token, ['storageBytes'], () => files.add(workspaceId, name, blob, { userId }))
}

export function messageTypeOf(files: readonly FileRecord[]): MessageType {
  if (files.length === 0) return 'text'
  const areAll = (kind: string): boolean => files.every(({ mimeType }) => mimeType.startsWith(kind))
  if (areAll('image/')) return 'image'
  return areAll('audio/') ? 'voice' : 'file'
}
