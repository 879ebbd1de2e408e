import { flag, integer, json, optional, type RowOf, table, text } from '../../database/table.ts'
import type { Metadata } from '../knowledge-base.ts'
import type { WebFailureCode } from './web-failure.ts'

/** `metadata` is that of the documents. The other options of a site map select the pages to add. */
export interface WebOptions {
  metadata?: Metadata
  maxPages?: number
  include?: string[]
  exclude?: string[]
  /** Pages that a site map names and that the options select, also beyond `maxPages`. */
  found?: number
  /** For a page: its last change by its site map, and the seconds between requests by robots.txt. */
  lastmod?: string
  crawlDelay?: number
  /** The time zone of a cron expression; UTC by default. */
  timezone?: string
}

/** `excluded`: deleted, although its site map names it. `deleting`: a site map with pages to delete. */
export type WebStatus = 'queued' | 'fetching' | 'ready' | 'failed' | 'excluded' | 'deleting'

export interface WebError {
  code: WebFailureCode
  message: string
  retryable: boolean
}

export const webPages = table('web_pages', {
  workspaceId: text(),
  id: text(),
  knowledgeId: text(),
  kind: text<'page' | 'sitemap'>(),
  /** The site map that named the page; empty if a user added it. */
  sitemapId: text(),
  url: text(),
  host: text(),
  title: text(),
  status: text<WebStatus>(),
  /** off, daily, weekly or a cron expression; `sitemap`: whenever its site map is refreshed. */
  refresh: text(),
  options: json<WebOptions>(),
  /** The document; empty before the first fetch, and for a site map. */
  fileId: text(),
  etag: text(),
  lastModified: text(),
  sha256: text(),
  /** Hash of the text in the content; empty if unknown. */
  textHash: text(),
  error: optional(json<WebError>()),
  /** Failed fetches in a row. */
  failures: integer(),
  /** Whether the site map still names the page; true for a page without a site map. */
  listed: flag(),
  createdAt: integer(),
  fetchedAt: optional(integer()),
  changedAt: optional(integer()),
  lease: optional(text()),
  dueAt: optional(integer()),
})

export type WebPage = Omit<RowOf<typeof webPages>, 'workspaceId' | 'lease'>

export interface PageKey {
  workspaceId: string
  id: string
}

/** A page and the lease of the process that fetches it; every write compares the lease. */
export interface HeldPage extends PageKey {
  lease: string
}

type Given = 'id' | 'knowledgeId' | 'kind' | 'url' | 'refresh' | 'options' | 'createdAt'

/** A page that is to be fetched. `dueAt` is by the time of the database. */
export const newPage = (given: Pick<WebPage, Given> & { sitemapId?: string; dueAt: number }): WebPage => ({
  ...{ sitemapId: '', title: '', status: 'queued', fileId: '', etag: '', lastModified: '' },
  ...{ sha256: '', textHash: '', error: undefined, failures: 0, listed: true },
  ...{ fetchedAt: undefined, changedAt: undefined, host: new URL(given.url).host },
  ...given,
})
