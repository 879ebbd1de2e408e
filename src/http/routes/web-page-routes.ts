import { limits } from '../../contract/limits.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { webPageOperations as operations, webPageRecord } from '../../contract/web-page-operations.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { ShownPage, WebPageService } from '../../knowledge/web/web-page-service.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'
import { checkedMetadata } from './metadata-input.ts'

type NewPagesBody = Call<typeof operations.addWebPages>['body']
type SiteMapBody = Omit<NonNullable<NewPagesBody['sitemap']>, 'url'>

const fields = wireWriter(webPageRecord, { page_id: 'id' })

function siteMapOnWire({ options, pages = {} }: ShownPage) {
  const { maxPages = limits.webPagesPerCall, include = [], exclude = [], found = 0 } = options
  const { ready = 0, failed = 0, queued = 0, fetching = 0 } = pages
  const open = queued + fetching
  return {
    ...{ max_pages: maxPages, include, exclude, found },
    pages: { total: ready + failed + open, ready, failed, open },
  }
}

const pageOnWire = (page: ShownPage) =>
  fields({
    ...page,
    fileId: page.fileId || null,
    sitemapId: page.sitemapId || null,
    timezone: page.options.timezone ?? 'UTC',
    sitemap: page.kind === 'sitemap' ? siteMapOnWire(page) : null,
    nextFetchAt: page.status === 'deleting' || page.status === 'fetching' ? undefined : page.dueAt,
  })

const siteMapOptions = ({ max_pages: maxPages, include, exclude }: SiteMapBody) => ({
  ...(maxPages !== undefined && { maxPages }),
  ...(include && { include }),
  ...(exclude && { exclude }),
})

function newPages({ urls = [], sitemap, refresh = 'off', timezone, metadata }: NewPagesBody) {
  if (urls.length === 0 && !sitemap)
    throw invalidField('/urls', 'is required, unless /sitemap is given; name at least one address')
  return {
    ...{ urls, refresh, timezone, metadata: metadata && checkedMetadata(metadata) },
    sitemap: sitemap && { url: sitemap.url, ...siteMapOptions(sitemap) },
  }
}

export function webPageRoutes(pages: WebPageService): Route[] {
  return [
    route(operations.webPages, ({ workspaceId, params, query }) => {
      const filter = { kind: query.kind, status: query.status, sitemapId: query.sitemap_id }
      const list = (page: PageRequest) => pages.list(workspaceId, params.knowledge_id, filter, page)
      return pageAnswer(query, list, pageOnWire)
    }),
    route(operations.addWebPages, async ({ workspaceId, params, body }) => {
      const { added, skipped } = await pages.add(workspaceId, params.knowledge_id, newPages(body))
      return {
        items: added.map(pageOnWire),
        skipped: skipped.map(url => ({ url, reason: 'already_added' as const })),
      }
    }),
    route(operations.webPage, async ({ workspaceId, params }) =>
      pageOnWire(await pages.get(workspaceId, params.knowledge_id, params.page_id)),
    ),
    route(operations.updateWebPage, async ({ workspaceId, params, body }) => {
      const { refresh, timezone, sitemap } = body
      const change = { refresh, timezone, sitemap: sitemap && siteMapOptions(sitemap) }
      return pageOnWire(await pages.update(workspaceId, params.knowledge_id, params.page_id, change))
    }),
    route(operations.refreshWebPage, async ({ workspaceId, params }) =>
      pageOnWire(await pages.refresh(workspaceId, params.knowledge_id, params.page_id)),
    ),
    route(operations.deleteWebPage, ({ workspaceId, params }) =>
      pages.remove(workspaceId, params.knowledge_id, params.page_id),
    ),
  ]
}
