import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import { fileRecord, fileOperations as operations } from '../../contract/file-operations.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import type { ConversationStore } from '../../conversations/conversation-store.ts'
import { isInlineSafe } from '../../files/detect-mime-type.ts'
import { type FileService, noFile } from '../../files/file-service.ts'
import type { FileRecord, LocatedFile } from '../../files/file-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import { Answer } from '../answer.ts'
import { contentDisposition, contentRange, entityTag, matchesTag, revalidated } from '../content-headers.ts'
import {
  type Call,
  fingerprintOf,
  idempotencyKey,
  once,
  type Route,
  route,
  type ServerParts,
} from '../route.ts'
import { receiveFile } from '../upload.ts'
import { compileBody } from '../validation.ts'
import { wireWriter } from '../wire.ts'

export const fileOnWire = wireWriter(fileRecord.properties, { file_id: 'id' })

const contentType = (mimeType: string): string =>
  mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType

/** An uploaded file must not act on behalf of this server: no sniffing, no scripts, no frames. */
const contentHeaders = (file: LocatedFile): Record<string, string | number> => ({
  'content-type': contentType(file.mimeType),
  'content-disposition': contentDisposition(isInlineSafe(file.mimeType) ? 'inline' : 'attachment', file.name),
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  ...revalidated,
  'accept-ranges': 'bytes',
  etag: entityTag(file.sha256),
})

/** The smallest possible size of the file of an upload, which may be in base64 and between other parts. */
export const leastSize = (headers: IncomingHttpHeaders): number =>
  Math.max(0, Number(headers['content-length'] ?? 0) * 0.75 - (1 << 20))

/** The bytes of a file, or a part of them. */
export async function fileContent(
  files: FileService,
  file: LocatedFile,
  request: FastifyRequest,
): Promise<Answer> {
  const headers = contentHeaders(file)
  const tag = entityTag(file.sha256)
  if (matchesTag(request.headers['if-none-match'], tag)) return new Answer(304, headers)
  const ifRange = request.headers['if-range']
  const range =
    ifRange === undefined || ifRange === tag ? contentRange(request.headers.range, file.size) : undefined
  if (range === 'unsatisfiable')
    throw new AppError(
      'range_not_satisfiable',
      `The range is outside the file, which has ${file.size} bytes`,
      {
        headers: { 'content-range': `bytes */${file.size}` },
      },
    )
  const size = range ? range.end - range.start + 1 : file.size
  headers['content-length'] = size
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${file.size}`
  const body = request.method === 'HEAD' ? undefined : await files.read(file, range)
  return new Answer(range ? 206 : 200, headers, body)
}

interface FileRouteParts extends Pick<ServerParts, 'idempotency' | 'access'> {
  quotas: QuotaService
  conversations: Pick<ConversationStore, 'sharedFiles'>
}

/** A token that may not read all files can read those of its conversations, and its user's own uploads. */
async function visibleTo(
  { conversations }: FileRouteParts,
  token: TokenRecord,
  files: readonly FileRecord[],
): Promise<(file: FileRecord) => boolean> {
  if (isAllowed(token, 'read')) return () => true
  const { workspaceId, agentIds, userId } = token
  const ids = files.map(file => file.id)
  const shared = await conversations.sharedFiles(workspaceId, ids, { agentIds, userId })
  return file => shared.has(file.id) || (userId !== undefined && file.userId === userId)
}

export function fileRoutes(files: FileService, parts: FileRouteParts): Route[] {
  const checkJson = compileBody(operations.upload.body)

  const upload = async (call: Call<typeof operations.upload>): Promise<unknown> => {
    const { token, query, request } = call
    const key = idempotencyKey(request)
    // A retry gets its stored response although the file would not fit again.
    if (key === undefined) await parts.quotas.refuseLarger(token, leastSize(request.headers))
    const { name, blob } = await receiveFile(request.raw, files, { queryName: query.name, checkJson })
    // After `add` only the database knows whether a row refers to the blob; the sweep of orphaned blobs checks it.
    let isAdding = false
    const add = async (): Promise<unknown> => {
      isAdding = true
      const stored = (): Promise<FileRecord> =>
        files.add(token.workspaceId, name, blob, { userId: token.userId })
      return fileOnWire(await parts.quotas.within(token, ['storageBytes'], stored))
    }
    try {
      // The upload may have taken long; a token that was revoked in the meantime must not store anything.
      await parts.access.authenticate(request.headers.authorization)
      await files.repair(token.workspaceId, blob)
      if (key === undefined) return await add()
      const fingerprint = fingerprintOf([operations.upload.name, name, blob.sha256])
      return await once(parts, call as unknown as Call, key, fingerprint, add)
    } finally {
      if (!isAdding) await files.discard(blob)
    }
  }

  return [
    route(operations.upload, upload),
    route(operations.list, async ({ token, workspaceId, body }) => {
      if (body.file_ids) {
        const { items, missing } = await files.info(workspaceId, body.file_ids)
        const isVisible = await visibleTo(parts, token, items)
        const hidden = items.filter(file => !isVisible(file)).map(file => file.id)
        return { items: items.filter(isVisible).map(fileOnWire), missing: [...missing, ...hidden] }
      }
      if (!isAllowed(token, 'read'))
        throw new AppError('forbidden', `A token with the role ${token.role} may only look up file_ids`)
      const { keyword = '', sort = 'created_at', order = sort === 'created_at' ? 'desc' : 'asc' } = body
      const list = (page: PageRequest) => files.store.list(workspaceId, { keyword, sort, order }, page)
      return pageAnswer(body, list, fileOnWire)
    }),
    route(operations.delete, async ({ workspaceId, body }) => {
      const { file_ids: ids, force = false } = body
      const { deleted, missing, inUse } = await files.remove(workspaceId, ids, force)
      const kept = inUse.map(({ fileId, knowledgeIds }) => ({ file_id: fileId, knowledge_ids: knowledgeIds }))
      return { deleted, missing, in_use: kept }
    }),
    route(operations.content, async ({ token, workspaceId, params, request }) => {
      const file = await files.find(workspaceId, params.file_id)
      if (!(await visibleTo(parts, token, [file]))(file)) throw noFile()
      return fileContent(files, file, request)
    }),
  ]
}
