import {
  array,
  boolean,
  choice,
  count,
  id,
  integerIn,
  named,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { documentId, knowledgeId } from './knowledge-records.ts'
import { metadataInput } from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

const pageId = id('Id of the web page or site map.', 'page_Zk3xV0m2q1c5b7n9d1f3gA')
const url = text(
  'Address, beginning with http:// or https://. The part after # is ignored.',
  [1, limits.webUrlLength],
  {
    example: 'https://example.com/holidays',
  },
)

const kind = choice(['page', 'sitemap'], 'page: a page or a file. sitemap: the list of the pages of a site.')
const status = choice(
  ['queued', 'fetching', 'ready', 'failed', 'excluded', 'deleting'],
  'queued: waiting to be fetched, or to be retried after a temporary failure. failed: see `error`; the document keeps the last text. excluded: a user deleted this page of a site map, so the site map does not add it again. deleting: a site map that is being deleted with its pages.',
  { example: 'ready' },
)
const refresh = text(
  'How often the page is fetched again: off (default), daily, weekly, or a cron expression with five fields. At most once an hour.',
  [1, 100],
  { example: 'daily' },
)
const timezone = text('IANA time zone of a cron expression.', [1, 100], {
  example: 'Europe/Berlin',
  default: 'UTC',
})
const prefixes = (description: string, example: string) =>
  array(text('Start of a path.', [1, limits.webUrlLength]), description, {
    max: limits.webPrefixes,
    example: [example],
  })

const sitemapOptions = optional({
  max_pages: integerIn(`Maximum number of pages; default ${limits.webPagesPerCall}.`, [
    1,
    limits.webSiteMapPages,
  ]),
  include: prefixes('Only pages whose path begins with one of these; empty: all.', '/docs/'),
  exclude: prefixes('No pages whose path begins with one of these.', '/docs/archive/'),
})

export const webPageRecord = {
  page_id: pageId,
  kind,
  url: string('The address.', 'https://example.com/holidays'),
  title: string('Title of the page; empty before it is fetched.', 'Holidays'),
  status,
  refresh: string(
    'off, daily, weekly or a cron expression; `sitemap` for a page that is refreshed with its site map.',
    'daily',
  ),
  timezone: string('IANA time zone of a cron expression.', 'UTC'),
  file_id: orNull(documentId, 'The document; null before the first fetch, and for a site map.'),
  sitemap_id: orNull(pageId, 'The site map that lists the page; null if a user added it.', null),
  listed: boolean('False if the site map no longer lists the page; it stays in the base.', true),
  sitemap: orNull(
    Type.Object({
      max_pages: count('Maximum number of pages.', 100),
      include: array(Type.String(), 'Only these paths; empty: all.', { example: ['/docs/'] }),
      exclude: array(Type.String(), 'Not these paths.', { example: [] }),
      found: count('Selected pages of the site map, including those beyond `max_pages`.', 42),
      pages: Type.Object(
        {
          total: count('All pages of the site map in this base.', 42),
          ready: count('Pages that were fetched.', 40),
          failed: count('Pages that could not be fetched.', 1),
          open: count('Pages that are queued or being fetched.', 1),
        },
        { description: 'The pages of the site map by status.' },
      ),
    }),
    'Limits and pages of a site map; null for a page.',
    null,
  ),
  error: orNull(
    Type.Object({
      code: string('Machine-readable failure code.', 'not_found'),
      message: string('What is wrong and what to do.'),
      retryable: boolean('Whether a retry without changes may succeed.'),
    }),
    'Why the last fetch failed; null if it did not.',
    null,
  ),
  created_at: time('Time when it was added.'),
  fetched_at: orNull(
    time('Time of the last fetch.'),
    'Time of the last fetch, successful or not; null before that.',
  ),
  changed_at: orNull(
    time('Time of the last new content.'),
    'Time when its content was last stored; null before that.',
  ),
  next_fetch_at: orNull(time('Time of the next fetch.'), 'Time of the next fetch; null if there is none.'),
}
const page = named('WebPage', Type.Object(webPageRecord))

const base = `${basePath}/knowledge/{knowledge_id}/pages` as const
const one = `${base}/{page_id}` as const
const params = Type.Object({ knowledge_id: knowledgeId })
const pageParams = Type.Object({ knowledge_id: knowledgeId, page_id: pageId })

export const webPageOperations = defineOperations('knowledge', {
  webPages: {
    method: 'GET',
    path: base,
    access: 'read',
    summary: 'List the web pages and site maps of a knowledge base, newest first',
    params,
    query: Type.Object({ ...pagingFields, ...optional({ kind, status, sitemap_id: pageId }) }),
    data: pageOf(page),
  },
  addWebPages: {
    path: `${base}/create`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['urls', 'sitemap', 'refresh', 'timezone'] },
    summary: 'Add web pages, or all pages of a site map, to a knowledge base',
    details:
      'Returns at once; pages are fetched in the background and become documents. Besides HTML, addresses of files such as PDF, DOCX, Markdown and text are accepted. An address that is already in the base is skipped. Pages of a site map must be on its host and allowed by robots.txt.',
    params,
    body: Type.Object(
      optional({
        urls: array(url, 'Addresses of pages or files.', { min: 1, max: limits.webPagesPerCall }),
        sitemap: Type.Object(
          { url, ...sitemapOptions },
          {
            description:
              'A site map: sitemap.xml, an index of site maps, or a text file; also compressed with gzip.',
          },
        ),
        refresh,
        timezone,
        metadata: metadataInput('Your own metadata for each of these documents, for filters.'),
      }),
    ),
    creates: true,
    data: Type.Object({
      items: array(page, 'What was added.'),
      skipped: array(
        Type.Object({ url: string('The address.'), reason: choice(['already_added'], 'Why.') }),
        'Addresses that were not added.',
        { example: [] },
      ),
    }),
    example: { urls: ['https://example.com/holidays'], refresh: 'daily' },
  },
  webPage: {
    method: 'GET',
    path: one,
    access: 'read',
    summary: 'Get a web page or site map',
    params: pageParams,
    data: page,
  },
  updateWebPage: {
    path: `${one}/update`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['page_id', 'refresh', 'timezone', 'sitemap'] },
    summary: 'Change how often a web page is refreshed, or the limits of a site map',
    details:
      'Fields that are not sent keep their values. New limits take effect when the site map is refreshed.',
    params: pageParams,
    body: Type.Object(optional({ refresh, timezone, sitemap: Type.Object(sitemapOptions) })),
    data: page,
    example: { refresh: 'weekly' },
  },
  refreshWebPage: {
    path: `${one}/refresh`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['page_id'] },
    summary: 'Fetch a web page now, or a site map and its pages',
    details:
      'An unchanged page is not indexed again. The text of a changed page replaces the old text once it is indexed. Pages whose `<lastmod>` in the site map is the same as at their last fetch are not fetched, for at most a week.',
    params: pageParams,
    data: page,
  },
  deleteWebPage: {
    path: `${one}/delete`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['page_id'] },
    summary: 'Delete a web page with its document, or a site map with all its pages',
    details:
      'A deleted page that a site map still lists stays in the list as `excluded`; refresh it to add it again. A site map is deleted in the background.',
    params: pageParams,
    data: Type.Object({}),
  },
})
