import { limits } from '../../contract/limits.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { mintId } from '../../kernel/ids.ts'
import type { Metadata } from '../knowledge-base.ts'
import { type KnowledgeService, noSuchBase } from '../knowledge-service.ts'
import { checkRefresh, nextRefresh } from './refresh-schedule.ts'
import { webAddress } from './site-map.ts'
import { newPage, type WebOptions, type WebPage } from './web-page.ts'
import type { PageCounts, PageFilter, WebPageStore } from './web-page-store.ts'

/** Which pages of a site map are added. */
type SiteMapOptions = Pick<WebOptions, 'maxPages' | 'include' | 'exclude'>

interface NewPages {
  urls: readonly string[]
  sitemap: ({ url: string } & SiteMapOptions) | undefined
  refresh: string
  /** The time zone of a cron expression. */
  timezone: string | undefined
  metadata: Metadata | undefined
}

interface PageChange {
  refresh?: string | undefined
  timezone?: string | undefined
  sitemap?: SiteMapOptions | undefined
}

/** A site map has the numbers of its pages. */
export type ShownPage = WebPage & { pages: PageCounts | undefined }

interface WebPageParts {
  store: WebPageStore
  bases: Pick<KnowledgeService, 'find'>
  clock: Clock
  /** The time of the database, which decides what is due. */
  time: { now(): number }
  /** Removes the document and the file of a page. */
  removeDocument(workspaceId: string, page: WebPage): Promise<void>
  /** Called when something is to be fetched. */
  wake(): void
}

export class WebPageService {
  readonly #parts: WebPageParts

  constructor(parts: WebPageParts) {
    this.#parts = parts
  }

  /** An address that is in the base already is left as it is. */
  async add(
    workspaceId: string,
    knowledgeId: string,
    { urls, sitemap, refresh, timezone, metadata }: NewPages,
  ): Promise<{ added: ShownPage[]; skipped: string[] }> {
    const { store, bases, clock, time, wake } = this.#parts
    await bases.find(workspaceId, knowledgeId)
    checkRefresh(refresh, timezone)
    const common = { knowledgeId, refresh, createdAt: clock.now(), dueAt: time.now() }
    const own: WebOptions = { ...(metadata && { metadata }), ...(timezone && { timezone }) }
    const wanted = new Map<string, WebPage>()
    if (sitemap) {
      const { url, ...options } = sitemap
      const page = { id: mintId('page'), kind: 'sitemap' as const, url: addressOf(url, '/sitemap/url') }
      wanted.set(page.url, newPage({ ...common, ...page, options: { ...own, ...checkedPrefixes(options) } }))
    }
    for (const [at, each] of urls.entries()) {
      const url = addressOf(each, `/urls/${at}`)
      const page = { id: mintId('page'), kind: 'page' as const, url, options: own }
      // The list shows the newest pages first, and the pages of one request in its order.
      if (!wanted.has(url)) wanted.set(url, newPage({ ...common, ...page, createdAt: common.createdAt - at }))
    }
    const added = await store.add(workspaceId, knowledgeId, [...wanted.values()], limits.webPages)
    if (!added) throw noSuchBase()
    if (added === 'too_many') throw tooMany()
    wake()
    const isAdded = new Set(added.map(({ url }) => url))
    return {
      added: added.map(page => ({ ...page, pages: page.kind === 'sitemap' ? {} : undefined })),
      skipped: [...wanted.keys()].filter(url => !isAdded.has(url)),
    }
  }

  async list(
    workspaceId: string,
    knowledgeId: string,
    filter: PageFilter,
    page: PageRequest,
  ): Promise<Page<ShownPage>> {
    const { store, bases } = this.#parts
    await bases.find(workspaceId, knowledgeId)
    const found = await store.list(workspaceId, knowledgeId, filter, page)
    return { ...found, items: await this.#shown(workspaceId, found.items) }
  }

  async #shown(workspaceId: string, pages: readonly WebPage[]): Promise<ShownPage[]> {
    const maps = pages.filter(({ kind }) => kind === 'sitemap').map(({ id }) => id)
    const counts = await this.#parts.store.countPages(workspaceId, maps)
    return pages.map(page => ({
      ...page,
      pages: page.kind === 'sitemap' ? (counts.get(page.id) ?? {}) : undefined,
    }))
  }

  async get(workspaceId: string, knowledgeId: string, id: string): Promise<ShownPage> {
    const page = await this.#find(workspaceId, knowledgeId, id)
    return (await this.#shown(workspaceId, [page]))[0]!
  }

  async #find(workspaceId: string, knowledgeId: string, id: string): Promise<WebPage> {
    const { store, bases } = this.#parts
    await bases.find(workspaceId, knowledgeId)
    const page = await store.find(workspaceId, knowledgeId, id)
    if (!page) throw new AppError('not_found', 'The web page does not exist in this knowledge base')
    return page
  }

  /** New limits of a site map take effect when it is refreshed. */
  async update(
    workspaceId: string,
    knowledgeId: string,
    id: string,
    { refresh, timezone, sitemap }: PageChange,
  ): Promise<ShownPage> {
    const { store, time, wake } = this.#parts
    const page = await this.#find(workspaceId, knowledgeId, id)
    if (sitemap && page.kind === 'page')
      throw invalidField('/sitemap', 'is only possible for a site map, and this is a page')
    if ((refresh !== undefined || timezone !== undefined) && page.sitemapId !== '')
      throw invalidField('/refresh', 'follows the site map of this page; change the site map instead')
    const change = {
      refresh: refresh ?? page.refresh,
      options: { ...page.options, ...checkedPrefixes(sitemap ?? {}), ...(timezone && { timezone }) },
    }
    if (page.sitemapId === '') checkRefresh(change.refresh, timezone)
    const isSame = change.refresh === page.refresh && change.options.timezone === page.options.timezone
    const dueAt = isSame ? page.dueAt : nextRefresh(change.refresh, time.now(), change.options.timezone)
    await store.update(workspaceId, id, change, dueAt)
    wake()
    return this.get(workspaceId, knowledgeId, id)
  }

  /** Fetches a page now; reads a site map and fetches its pages. */
  async refresh(workspaceId: string, knowledgeId: string, id: string): Promise<ShownPage> {
    const { store, time, wake } = this.#parts
    await this.#find(workspaceId, knowledgeId, id)
    await store.queue(workspaceId, id, time.now())
    wake()
    return this.get(workspaceId, knowledgeId, id)
  }

  /** A page of a site map stays as excluded. A site map is removed with its pages in the background. */
  async remove(workspaceId: string, knowledgeId: string, id: string): Promise<void> {
    const { store, time, wake, removeDocument } = this.#parts
    const page = await this.#find(workspaceId, knowledgeId, id)
    if (page.kind === 'sitemap') {
      await store.markDeleting(workspaceId, id, time.now())
      wake()
      return
    }
    const isNamedAgain = page.sitemapId !== '' && page.listed && page.status !== 'excluded'
    const stopped = await store.stop(workspaceId, [id])
    await (isNamedAgain ? store.exclude(workspaceId, id) : store.remove(workspaceId, [id]))
    for (const each of stopped) await removeDocument(workspaceId, each)
  }
}

function addressOf(text: string, pointer: string): string {
  const url = webAddress(text.trim())
  if (!url)
    throw invalidField(
      pointer,
      'must be an http or https address without a user name, such as https://example.com/page',
    )
  return url.href
}

function checkedPrefixes(options: SiteMapOptions): SiteMapOptions {
  for (const name of ['include', 'exclude'] as const)
    for (const [at, prefix] of (options[name] ?? []).entries())
      if (!prefix.startsWith('/'))
        throw invalidField(`/sitemap/${name}/${at}`, 'must be the start of a path, such as /docs/')
  return options
}

const tooMany = (): AppError =>
  new AppError(
    'invalid_request',
    `A knowledge base may have ${limits.webPages} web pages and site maps. Delete some, or add fewer.`,
  )
