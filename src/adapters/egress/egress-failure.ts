/**
 * `blocked`: we refuse to send it; `unreachable`: no connection, or it broke; `timed_out`, `too_large`: a limit of
 * ours; `bad_answer`: what came back is not HTTP, or leads nowhere.
 */
export type EgressFailureKind = 'blocked' | 'unreachable' | 'timed_out' | 'too_large' | 'bad_answer'

/**
 * Why a call to the outside failed. The message names the host as the caller wrote it and nothing that lies behind
 * it: addresses of the inner network would be worth having to whoever chose the URL. For the same reason there is
 * no `cause`.
 */
export class EgressFailure extends Error {
  readonly kind: EgressFailureKind

  constructor(kind: EgressFailureKind, message: string) {
    super(message)
    this.name = 'EgressFailure'
    this.kind = kind
  }
}

const unsendable = new Set([
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_UNESCAPED_CHARACTERS',
])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A kept connection broke when it was used again, which is nobody's fault: the other side had just closed it. */
export class StaleConnection extends EgressFailure {
  constructor(host: string) {
    super('unreachable', `The connection to ${host} broke off before the answer was whole`)
  }
}

/** Errors of Node's network, parser and decompression code in our words. */
export function toEgressFailure(error: unknown, host: string): EgressFailure {
  if (error instanceof EgressFailure) return error
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW')
    return new EgressFailure('too_large', `${host} answered with headers that are too large`)
  if (code.startsWith('HPE_')) return new EgressFailure('bad_answer', `${host} did not answer in HTTP`)
  if (code.startsWith('Z_') || code.includes('BROTLI') || code.startsWith('ERR__ERROR_'))
    return new EgressFailure('bad_answer', `The compressed answer of ${host} is damaged`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new EgressFailure('unreachable', `The name ${host} could not be found: check its spelling`)
  if (unsendable.has(code))
    return new EgressFailure(
      'blocked',
      `The request to ${host} has a method or a header with characters that HTTP does not allow`,
    )
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new EgressFailure('unreachable', `The connection to ${host} broke off before the answer was whole`)
  return new EgressFailure('unreachable', `${host} could not be reached${code ? ` (${code})` : ''}`)
}
