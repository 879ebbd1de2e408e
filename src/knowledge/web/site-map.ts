import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { limits } from '../../contract/limits.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import type { FetchedPage } from './page-fetcher.ts'
import { comparablePath } from './robots.ts'
import { WebFailure } from './web-failure.ts'
import type { WebOptions } from './web-page.ts'

const unzip = promisify(gunzip)

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const references = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g
const decoded = (text: string): string =>
  text
    .replace(/^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/, '$1')
    .replace(references, (reference, name?: string, decimal?: string, hex = '') => {
      if (name !== undefined) return entities[name]!
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0x10ffff ? reference : String.fromCodePoint(code)
    })
    .trim()

export interface SiteMapEntry {
  url: string
  /** When the page changed last according to the site map; empty if it does not say. */
  lastmod: string
}

interface SiteMap {
  /** The entries are further site maps. */
  isIndex: boolean
  entries: SiteMapEntry[]
}

/** An address, the time of its last change, or the end of an entry. */
const xmlParts =
  /<(?:\w+:)?(loc|lastmod)\s*>([^<]{1,4000}|\s*<!\[CDATA\[[^\]]{1,4000}\]\]>\s*)<\/(?:\w+:)?\1\s*>|<\/(?:\w+:)?(?:url|sitemap)\s*>/g
const line = /^[ \t]*((https?:\/\/\S{1,2000}))[ \t\r]*$/gm
const maxLastmod = 40

/** Text is searched piece by piece, because one without any address would hold the event loop for long. */
const pieceLength = 65_536
/** Longer than an address with its tags. */
const overlap = 8192

function* entriesOf(text: string, isXml: boolean): Pausable<SiteMapEntry[]> {
  const entries: SiteMapEntry[] = []
  let open = { url: '', lastmod: '' }
  const close = (): void => {
    if (open.url !== '') entries.push(open)
    open = { url: '', lastmod: '' }
  }
  for (let start = 0; start < text.length; start += pieceLength) {
    // Includes one more character, so that the beginning of a piece is not taken for the beginning of a line.
    const from = Math.max(0, start - 1)
    const end = start + pieceLength - from
    const piece = text.slice(from, from + end + overlap)
    for (const { 1: name, 2: found = '', index } of piece.matchAll(isXml ? xmlParts : line)) {
      if (index >= end) break
      if (index < start - from) continue
      if (name === 'lastmod') open.lastmod = decoded(found).slice(0, maxLastmod)
      // The first address is the page itself; its images and videos follow.
      else if (name !== undefined) open.url ||= decoded(found)
      if (name === undefined || !isXml) close()
      if (entries.length >= limits.webSiteMapEntries) return entries
    }
    yield
  }
  close()
  return entries
}

/** A sitemap.xml, an index of site maps or a text file with one address per line; compressed or not. */
export async function readSiteMap({ bytes, url }: FetchedPage): Promise<SiteMap> {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isZipped
    ? await unzip(bytes, { maxOutputLength: limits.webSiteMapBytes }).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.code === 'ERR_BUFFER_TOO_LARGE'
            ? new WebFailure(
                'too_large',
                `The site map ${url} is larger than ${limits.webSiteMapBytes} bytes.`,
              )
            : new WebFailure('not_a_sitemap', `The site map ${url} cannot be decompressed.`)
        },
      )
    : bytes
  const text = new TextDecoder().decode(plain)
  const head = text.slice(0, 4096)
  const isIndex = /<(?:\w+:)?sitemapindex[\s>]/.test(head)
  const isXml = isIndex || /<(?:\w+:)?urlset[\s>]/.test(head)
  if (!isXml && !/^\s*https?:\/\//.test(head))
    throw new WebFailure(
      'not_a_sitemap',
      `${url} is not a site map. Enter the address of a sitemap.xml, or add the page itself.`,
    )
  return { isIndex, entries: await inSlices(entriesOf(text, isXml)) }
}

/** The address as it is stored: without the fragment. Undefined where it is no web address. */
export function webAddress(text: string): URL | undefined {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  url.hash = ''
  return url.username === '' && url.password === '' && url.href.length <= limits.webUrlLength
    ? url
    : undefined
}

const hostWithoutWww = ({ host }: URL): string => host.replace(/^www\./, '')

/** Pages of other hosts are not those of the site; `www.` makes no difference. */
export const isSameSite = (one: URL, other: URL): boolean => hostWithoutWww(one) === hostWithoutWww(other)

export interface SelectedPage {
  url: URL
  lastmod: string
}

/** The pages of the same site whose path the options select, each once. */
export function* selectedPages(
  entries: readonly SiteMapEntry[],
  siteMap: URL,
  { include = [], exclude = [] }: WebOptions,
): Pausable<SelectedPage[]> {
  const selected = new Map<string, SelectedPage>()
  const included = include.map(comparablePath)
  const excluded = exclude.map(comparablePath)
  for (const { url: text, lastmod } of entries) {
    yield
    const url = webAddress(text)
    if (!url || !isSameSite(url, siteMap)) continue
    const path = comparablePath(url.pathname)
    const starts = (prefix: string): boolean => path.startsWith(prefix)
    if (included.length > 0 && !included.some(starts)) continue
    if (!excluded.some(starts)) selected.set(url.href, { url, lastmod })
  }
  return [...selected.values()]
}
