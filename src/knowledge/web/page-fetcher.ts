import { limits } from '../../contract/limits.ts'
import { retryAfterMilliseconds } from '../../kernel/retry-after.ts'
import { WebFailure } from './web-failure.ts'

/** The response of a web server. */
export interface FetchedPage {
  /** 304 if the page has not changed. */
  status: number
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  /** The final URL, after redirects. */
  url: string
}

interface FetchOptions {
  headers?: Record<string, string>
  maxBytes: number
  signal: AbortSignal
}

/** Gets public web pages. Private addresses are refused; redirects, size and time are limited. */
export interface PageFetcher {
  /** Fails with a `WebFailure` if there was no response, or with the reason of the aborted signal. */
  fetch(url: string, options: FetchOptions): Promise<FetchedPage>
}

/** The name by which robots.txt refers to this crawler. */
export const robotName = 'BanyanBot'

/** The failure that a status stands for; undefined for success. */
export function failureOfStatus({ status, url, headers }: FetchedPage): WebFailure | undefined {
  if (status === 200 || status === 304) return undefined
  const { host } = new URL(url)
  if (status === 404 || status === 410)
    return new WebFailure(
      'not_found',
      `${host} has no page at this address (status ${status}). Check the address.`,
    )
  if (status === 401 || status === 403)
    return new WebFailure(
      'access_denied',
      `${host} does not give access to the page (status ${status}). Only public pages can be added.`,
    )
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const asked = retryAfterMilliseconds(headers, Date.now())
    const waitMilliseconds = asked && Math.min(asked, limits.webRetryMilliseconds)
    return new WebFailure('server_error', `${host} answered with the status ${status}. Try again later.`, {
      isTransient: true,
      ...(waitMilliseconds !== undefined && { waitMilliseconds }),
    })
  }
  return new WebFailure('http_error', `${host} answered with the status ${status}. Check the address.`)
}
