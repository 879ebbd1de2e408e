import { useSyncExternalStore } from 'react'

/**
 * The console's location is in the URL's fragment (`#/workflows/wf_hello?run=…`): the server serves a single
 * page, and the location is never sent to it.
 */
interface Place {
  /** Decoded path segments. */
  segments: readonly string[]
  query: URLSearchParams
  /** The whole location, unparsed. */
  path: string
}

let last: Place | undefined

function readPlace(): Place {
  const path = window.location.hash.replace(/^#/, '') || '/'
  if (last?.path === path) return last
  const [before, search = ''] = path.split('?', 2) as [string, string?]
  last = {
    path,
    segments: before.split('/').filter(Boolean).map(decodeSegment),
    query: new URLSearchParams(search),
  }
  return last
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const subscribe = (listener: () => void): (() => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

export const usePlace = (): Place => useSyncExternalStore(subscribe, readPlace)

/** `pathTo('workflows', id)` for a link's `href`, escaped. */
export const pathTo = (...segments: string[]): string => `#/${segments.map(encodeURIComponent).join('/')}`

export function navigate(href: string, { replace = false } = {}): void {
  if (replace) {
    window.history.replaceState(null, '', href)
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  } else window.location.hash = href
}
