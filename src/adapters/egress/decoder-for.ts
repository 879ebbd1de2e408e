import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { EgressFailure } from './egress-failure.ts'

const hasBody = (response: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' &&
  response.statusCode !== 204 &&
  response.statusCode !== 304 &&
  response.headers['content-length'] !== '0'

/** The streams that unpack a body: none, or one. */
export function decoderFor(response: IncomingMessage, method: string, host: string): Duplex[] {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity' || !hasBody(response, method)) return []
  if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate') return [createUnzip()]
  if (encoding === 'br') return [createBrotliDecompress()]
  // Packed twice is how small answers become endless; nobody honest does it.
  throw new EgressFailure('bad_answer', `${host} packed its answer in a way that is not supported`)
}
