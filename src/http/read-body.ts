import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { type JsonMember, jsonMembers } from '../kernel/json-members.ts'

export interface JsonBody {
  value: unknown
  members: ReadonlyMap<string, JsonMember>
}

export const noMembers: ReadonlyMap<string, JsonMember> = new Map()

const tooLarge = (limit: number): AppError =>
  new AppError('too_large', `The body is larger than ${limit} bytes`, { data: { limit } })

/** The whole body, as long as it stays within its limit and arrives in time. */
function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let size = 0
    const finish = (act: () => void): void => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      act()
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) finish(() => reject(tooLarge(limit)))
      else chunks.push(chunk)
    }
    const onEnd = (): void => finish(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const onError = (error: Error): void =>
      finish(() => reject(new AppError('malformed_http', 'The body broke off', { cause: error })))
    const onClose = (): void => finish(() => reject(new AppError('malformed_http', 'The body broke off')))
    const timer = setTimeout(
      () => finish(() => reject(new AppError('request_timeout', 'The body came too slowly'))),
      limits.jsonBodyMilliseconds,
    )
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

/** JSON in UTF-8; an empty body counts as an object without members. */
export async function readJson(request: IncomingMessage, limit: number): Promise<JsonBody> {
  const bytes = await readBody(request, limit)
  if (!isUtf8(bytes)) throw new AppError('malformed_json', 'The body is not UTF-8')
  const text = bytes.toString('utf8')
  if (text.trim() === '') return { value: {}, members: noMembers }
  // A graph may stand two levels down, in the document of an import.
  const members = jsonMembers(text, limits.graphDepth + 2)
  try {
    return { value: JSON.parse(text) as unknown, members }
  } catch (error) {
    throw new AppError('malformed_json', `The body is not JSON: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

/** The length is bounded first: the pattern takes the square of it. */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && contentType.length <= 256 && jsonMediaType.test(contentType)

export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      `A body with Content-Encoding ${encoding} is not taken; send it plain`,
    )
}
