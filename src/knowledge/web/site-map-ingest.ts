import { LeaseLost } from '../../cluster/lease-name.ts'
import { limits } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import { mintId } from '../../kernel/ids.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import { type FetchedPage, failureOfStatus, type PageFetcher, robotName } from './page-fetcher.ts'
import { nextRefresh } from './refresh-schedule.ts'
import { type RobotsRules, robotsRules } from './robots.ts'
import { isSameSite, readSiteMap, type SelectedPage, type SiteMapEntry, selectedPages } from './site-map.ts'
import { WebFailure } from './web-failure.ts'
import { type HeldPage, newPage, type WebPage } from './web-page.ts'
import type { WebPageStore } from './web-page-store.ts'

interface SiteMapIngestParts {
  store: WebPageStore
  fetcher: PageFetcher
  time: { now(): number }
  clock: Clock
  /** Runs the work in one transaction. */
  commit(workspaceId: string, work: () => Promise<void>): Promise<void>
}

const robotsBytes = 2 << 20

export class SiteMapIngest {
  readonly #parts: SiteMapIngestParts

  constructor(parts: SiteMapIngestParts) {
    this.#parts = parts
  }

  /** Fails with a `WebFailure`, or with `LeaseLost`. */
  async run(held: HeldPage, siteMap: WebPage, signal: AbortSignal): Promise<void> {
    const { store, time, clock, commit } = this.#parts
    const { workspaceId } = held
    const { knowledgeId, options, id: sitemapId } = siteMap
    const { entries, url } = await this.#entries(siteMap.url, signal)
    const { isAllowed, crawlDelay } = await this.#robots(new URL(url).origin, signal)
    const selected = await inSlices(selectedPages(entries, new URL(url), options))
    const allowed = await inSlices(allowedPages(selected, isAllowed))
    if (selected.length > 0 && allowed.length === 0)
      throw new WebFailure(
        'robots',
        `The robots.txt of ${new URL(url).host} does not allow any of these ${selected.length} pages to be fetched.`,
      )
    const now = time.now()
    const createdAt = clock.now()
    const wanted = allowed.slice(0, options.maxPages ?? limits.webPagesPerCall)
    const common = {
      ...(options.metadata && { metadata: options.metadata }),
      ...(crawlDelay > 0 && { crawlDelay: Math.min(crawlDelay, limits.webCrawlDelaySeconds) }),
    }
    const pages = wanted.map(({ url: { href }, lastmod }, at) =>
      newPage({
        ...{ id: mintId('page'), knowledgeId, kind: 'page', sitemapId, url: href, refresh: 'sitemap' },
        // The list shows the newest pages first, and the pages of one site map in its order.
        ...{ options: { ...common, ...(lastmod && { lastmod }) }, createdAt: createdAt - at, dueAt: now },
      }),
    )
    await commit(workspaceId, async () => {
      const trustedAfter = createdAt - limits.webLastmodMilliseconds
      const named = { pages, now, max: limits.webPages, trustedAfter }
      const without = await store.reconcile(workspaceId, siteMap, named)
      const error = without > 0 ? noRoom(without) : undefined
      const ended = { status: 'ready', error, failures: 0, fetchedAt: createdAt } as const
      const found = { found: allowed.length }
      const isHeld = await store.finish(held, { ...ended, options: found }, (refresh, timezone) =>
        nextRefresh(refresh, time.now(), timezone),
      )
      if (!isHeld) throw new LeaseLost()
    })
  }

  /** The addresses of a site map, and of those that an index names; one level deep, as the protocol has it. */
  async #entries(url: string, signal: AbortSignal): Promise<{ entries: SiteMapEntry[]; url: string }> {
    const first = await this.#get(url, signal)
    const top = await readSiteMap(first)
    if (!top.isIndex) return { entries: top.entries, url: first.url }
    const base = new URL(first.url)
    const inner = top.entries.filter(each => URL.canParse(each.url) && isSameSite(new URL(each.url), base))
    const entries: SiteMapEntry[] = []
    let failure: WebFailure | undefined
    for (const each of inner.slice(0, limits.webSiteMaps)) {
      try {
        const map = await readSiteMap(await this.#get(each.url, signal))
        if (!map.isIndex) for (const found of map.entries) entries.push(found)
      } catch (error) {
        // A missing site map does not hide the others.
        if (!(error instanceof WebFailure) || error.isTransient) throw error
        failure = error
      }
      if (entries.length >= limits.webSiteMapEntries) break
    }
    if (entries.length === 0 && failure) throw failure
    return { entries: entries.slice(0, limits.webSiteMapEntries), url: first.url }
  }

  async #get(url: string, signal: AbortSignal): Promise<FetchedPage> {
    const fetched = await this.#parts.fetcher.fetch(url, { maxBytes: limits.webSiteMapBytes, signal })
    const failure = failureOfStatus(fetched)
    if (failure) throw failure
    return fetched
  }

  /** By RFC 9309, everything may be fetched if the file does not exist, and nothing while it cannot be read. */
  async #robots(origin: string, signal: AbortSignal): Promise<RobotsRules> {
    const fetched = await this.#parts.fetcher.fetch(`${origin}/robots.txt`, { maxBytes: robotsBytes, signal })
    const failure = failureOfStatus(fetched)
    if (failure?.isTransient) throw failure
    if (failure) return { isAllowed: () => true, crawlDelay: 0 }
    return inSlices(robotsRules(new TextDecoder().decode(fetched.bytes), robotName))
  }
}

const noRoom = (count: number) => ({
  code: 'too_large' as const,
  message: `${count} more pages were not added: a knowledge base may have ${limits.webPages} web pages. Delete some, or select fewer.`,
  retryable: false,
})

function* allowedPages(
  pages: readonly SelectedPage[],
  isAllowed: (path: string) => boolean,
): Pausable<SelectedPage[]> {
  const allowed: SelectedPage[] = []
  for (const page of pages) {
    if (isAllowed(page.url.pathname + page.url.search)) allowed.push(page)
    yield
  }
  return allowed
}
