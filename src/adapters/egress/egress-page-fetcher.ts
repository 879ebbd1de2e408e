import { buffer } from 'node:stream/consumers'
import { limits } from '../../contract/limits.ts'
import { type PageFetcher, robotName } from '../../knowledge/web/page-fetcher.ts'
import { WebFailure } from '../../knowledge/web/web-failure.ts'
import { type Egress, EgressFailure, plainHeaders } from './egress.ts'

const sent = {
  'user-agent': `Mozilla/5.0 (compatible; ${robotName}/1.0)`,
  accept: 'text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, br',
}

/** Never trusted: private addresses are refused, also where a page redirects to one. */
export const createPageFetcher = (egress: Egress): PageFetcher => ({
  fetch: async (url, { headers, maxBytes, signal }) => {
    const timeouts = { totalMilliseconds: limits.webPageMilliseconds }
    try {
      const response = await egress.request(url, {
        ...{ headers: { ...sent, ...headers }, signal, maxBytes, timeouts },
      })
      const { status, headers: received, url: address } = response
      const answer = { status, headers: plainHeaders(received), url: address }
      if (response.status === 200) return { ...answer, bytes: await buffer(response.body) }
      response.body.destroy()
      return { ...answer, bytes: new Uint8Array() }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof EgressFailure)) throw error
      const isTransient = error.kind === 'unreachable' || error.kind === 'timed_out'
      throw new WebFailure(error.kind, error.message, isTransient ? { isTransient } : undefined)
    }
  },
})
