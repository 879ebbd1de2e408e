import { limits } from '../../contract/limits.ts'
import { WebFailure } from './web-failure.ts'

/** What a web server answered. */
export interface FetchedPage {
  /** 304: the page is as it was. */
  status: number
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  /** After redirects. */
  url: string
}

interface FetchOptions {
  headers?: Record<string, string>
  maxBytes: number
  signal: AbortSignal
}

/** Gets public web pages. Private addresses are refused; redirects, size and time are limited. */
export interface PageFetcher {
  /** Fails with a `WebFailure` where no answer came, or with the reason of the aborted signal. */
  fetch(url: string, options: FetchOptions): Promise<FetchedPage>
}

/** By this name robots.txt knows us. */
export const robotName = 'BanyanBot'

/** Seconds, or a date; undefined where a server sends neither. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const wait = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), limits.webRetryMilliseconds)
}

/** The failure that a status stands for; undefined for success. */
export function failureOfStatus({ status, url, headers }: FetchedPage): WebFailure | undefined {
  if (status === 200 || status === 304) return undefined
  const { host } = new URL(url)
  if (status === 404 || status === 410)
    return new WebFailure('not_found', `${host} has no such page (status ${status}). Check the address.`)
  if (status === 401 || status === 403)
    return new WebFailure(
      'access_denied',
      `${host} does not give access to the page (status ${status}). Only public pages can be added.`,
    )
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const waitMilliseconds = retryAfter(headers['retry-after'])
    return new WebFailure('server_error', `${host} answered with the status ${status}. Try again later.`, {
      isTransient: true,
      ...(waitMilliseconds !== undefined && { waitMilliseconds }),
    })
  }
  return new WebFailure('http_error', `${host} answered with the status ${status}. Check the address.`)
}
