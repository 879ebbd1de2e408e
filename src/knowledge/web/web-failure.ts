/** Why a web page could not be fetched; `retryable`: another attempt without a change can succeed. */
export const webFailures = {
  not_found: { retryable: false, meaning: 'The web server has no such page (404 or 410).' },
  access_denied: {
    retryable: false,
    meaning: 'The web server demands a login or refuses access (401 or 403).',
  },
  http_error: { retryable: false, meaning: 'The web server answered with another error status (4xx).' },
  server_error: {
    retryable: true,
    meaning: 'The web server failed or is overloaded (429 or 5xx), also after retries.',
  },
  unreachable: { retryable: true, meaning: 'There is no such host, or it does not accept connections.' },
  timed_out: { retryable: true, meaning: 'The web server took longer than the limit.' },
  blocked: {
    retryable: false,
    meaning:
      'The address, or one that it redirects to, is not on the public internet. The operator can allow it with `EGRESS_ALLOW`.',
  },
  bad_answer: { retryable: false, meaning: 'The response is not valid HTTP, or redirects too often.' },
  too_large: { retryable: false, meaning: 'The page, the file or the site map exceeds the limits.' },
  unsupported_type: {
    retryable: false,
    meaning: 'The address is neither a page nor a document, for example a picture.',
  },
  unreadable: {
    retryable: false,
    meaning:
      'The page has no text that can be read, for example because it needs JavaScript. A previous version stays in the base.',
  },
  not_a_sitemap: { retryable: false, meaning: 'The address does not lead to a site map.' },
  robots: {
    retryable: false,
    meaning: 'The robots.txt of the site does not allow any of the selected pages of the site map.',
  },
  quota_exceeded: { retryable: false, meaning: 'The workspace has no room for another document.' },
  internal: { retryable: true, meaning: 'An internal error. See the server log.' },
} as const

export type WebFailureCode = keyof typeof webFailures

export class WebFailure extends Error {
  readonly code: WebFailureCode
  /** Whether the fetch is repeated automatically, and after what pause at the earliest. */
  readonly isTransient: boolean
  readonly waitMilliseconds: number

  constructor(
    code: WebFailureCode,
    message: string,
    wait?: { isTransient: true; waitMilliseconds?: number },
  ) {
    super(message)
    this.name = 'WebFailure'
    this.code = code
    this.isTransient = wait !== undefined
    this.waitMilliseconds = wait?.waitMilliseconds ?? 0
  }
}
