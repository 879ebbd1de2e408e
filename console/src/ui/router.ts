import { useSyncExternalStore } from 'react'

/**
 * Where the console is stands in the fragment of the address (`#/workflows/wf_hello?run=…`): the server then serves
 * one page only, and what is looked at is told to nobody.
 */
export interface Place {
  /** Decoded segments of the path. */
  segments: readonly string[]
  query: URLSearchParams
  /** The whole, as it was. */
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

/** `pathTo('workflows', id)` for a link's `href`, with everything escaped. */
export const pathTo = (...segments: string[]): string => `#/${segments.map(encodeURIComponent).join('/')}`

export function navigate(href: string, { replace = false } = {}): void {
  if (replace) {
    window.history.replaceState(null, '', href)
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  } else window.location.hash = href
}
