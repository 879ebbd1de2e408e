import { LeaseTable } from '../../cluster/lease-table.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { Order } from '../../database/order.ts'
import { readPage } from '../../database/page.ts'
import { list, type Query, raw, sql } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { as, integer, text } from '../../database/table.ts'
import { groupsOf } from '../../kernel/groups-of.ts'
import { knowledgeBases } from '../knowledge-tables.ts'
import { excluded } from './remove-page.ts'
import { type HeldPage, type PageKey, type WebPage, type WebStatus, webPages } from './web-page.ts'

const columns = webPages.columns(...webPages.keysExcept('workspaceId', 'lease'))
const claimed = webPages.columns('id', 'lease')
const settings = webPages.columns('refresh', 'options')
const newestFirst = new Order('created_at DESC', 'id')
/** How long a page is left alone whose lease has expired but may not be taken over yet. */
const postponedMilliseconds = 5000
const namesPerStatement = 400

export interface PageFilter {
  kind?: WebPage['kind'] | undefined
  status?: WebStatus | undefined
  sitemapId?: string | undefined
}

export type PageCounts = Partial<Record<WebStatus, number>>

interface PageClaim {
  workspaceId: string
  lease: string
  now: number
  host: string
  until: number
  /** Whether an expired lease may be taken over; if not, it is extended instead. */
  mayTakeOver(lease: string): boolean
}

interface HostTurn {
  workspaceId: string
  /** The host whose turn it was last; empty for none. */
  after: string
  now: number
  /** Hosts that are busy with other fetches, or that asked for a pause. */
  exceptHosts: readonly string[]
}

const heldBy = ({ workspaceId, id, lease }: HeldPage): Query => webPages.where({ workspaceId, id, lease })

const except = (hosts: readonly string[]): Query =>
  hosts.length === 0 ? sql`` : sql`AND host NOT IN ${list([...hosts])}`

/** Web pages and site maps. Every write of a process that fetches one compares the lease. */
export class WebPageStore extends Store {
  readonly leases: LeaseTable<PageKey>

  constructor(database: Database) {
    super(database)
    this.leases = new LeaseTable(database, {
      ...{ table: webPages, key: { workspaceId: 'workspace_id', id: 'id' } },
    })
  }

  /** Adds the pages whose address is new in the base, or none if they are too many. Undefined without such a base. */
  add(
    workspaceId: string,
    knowledgeId: string,
    pages: readonly WebPage[],
    max: number,
  ): Promise<WebPage[] | 'too_many' | undefined> {
    return this.database.transaction(async transaction => {
      const known = await this.#knownUrls(transaction, workspaceId, knowledgeId)
      // The pages of a base that is swept already would be fetched forever.
      const base = sql`${knowledgeBases.where({ workspaceId, id: knowledgeId })} AND deleted_at IS NULL`
      if (!(await transaction.get(sql`SELECT 1 AS one FROM knowledge_bases WHERE ${base}`))) return undefined
      const added = pages.filter(({ url }) => !known.has(url))
      if (added.length > 0 && known.size + added.length > max) return 'too_many'
      await this.#insert(transaction, workspaceId, added)
      return added
    })
  }

  #insert(transaction: Transaction, workspaceId: string, pages: readonly WebPage[]): Promise<void> {
    const rows = pages.map(page => ({ workspaceId, ...page }))
    return insertRows(transaction, webPages, rows, 32)
  }

  /** The addresses of the base, which is locked so that concurrent requests count each other. */
  async #knownUrls(transaction: Transaction, workspaceId: string, knowledgeId: string) {
    const base = knowledgeBases.where({ workspaceId, id: knowledgeId })
    await transaction.get(sql`SELECT 1 AS one FROM knowledge_bases WHERE ${base} ${this.database.forUpdate}`)
    const rows = await transaction.all(webPages.select(webPages.columns('url'), { workspaceId, knowledgeId }))
    return new Set(rows.map(({ url }) => url))
  }

  find(workspaceId: string, knowledgeId: string, id: string): Promise<WebPage | undefined> {
    return this.database.get(webPages.select(columns, { workspaceId, knowledgeId, id }))
  }

  list(
    workspaceId: string,
    knowledgeId: string,
    filter: PageFilter,
    page: PageRequest,
  ): Promise<Page<WebPage>> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    return readPage(this.database, {
      ...{ workspaceId, columns, source: webPages, order: newestFirst, page },
      where: webPages.where({ workspaceId, knowledgeId, ...Object.fromEntries(given) }),
    })
  }

  async countPages(workspaceId: string, sitemapIds: readonly string[]): Promise<Map<string, PageCounts>> {
    const counts = new Map<string, PageCounts>()
    if (sitemapIds.length === 0) return counts
    const rows = await this.database.all(sql`
      SELECT ${webPages.columns('sitemapId', 'status')}, COUNT(*) ${as('total', integer())} FROM web_pages
      WHERE workspace_id = ${workspaceId} AND sitemap_id <> '' AND sitemap_id IN ${list([...sitemapIds])}
      GROUP BY sitemap_id, status`)
    for (const { sitemapId, status, total } of rows)
      counts.set(sitemapId, { ...counts.get(sitemapId), [status]: total })
    return counts
  }

  /** Changes the settings and the time of the next fetch. A running fetch sets that time itself at its end. */
  async update(
    workspaceId: string,
    id: string,
    change: Pick<WebPage, 'refresh' | 'options'>,
    dueAt: number | undefined,
  ): Promise<void> {
    const key = webPages.where({ workspaceId, id })
    await this.database.transaction(async transaction => {
      await transaction.run(webPages.update(key, change))
      const due = webPages.set({ dueAt })
      await transaction.run(sql`
        UPDATE web_pages SET ${due} WHERE ${key} AND lease IS NULL AND status IN ('ready', 'failed')`)
    })
  }

  /** Makes the page due now, unless it is being fetched already. */
  async queue(workspaceId: string, id: string, now: number): Promise<void> {
    const change = webPages.set({ status: 'queued', failures: 0, dueAt: now })
    const key = webPages.where({ workspaceId, id })
    await this.run(sql`
      UPDATE web_pages SET ${change} WHERE ${key} AND lease IS NULL AND status <> 'deleting'`)
  }

  /** Marks a site map that is then deleted in the background, with its pages. */
  async markDeleting(workspaceId: string, id: string, now: number): Promise<void> {
    await this.run(webPages.update({ workspaceId, id }, { status: 'deleting', lease: undefined, dueAt: now }))
  }

  /** Ends running fetches: they lose their lease, and cannot add a document any more. Returns the current pages. */
  stop(workspaceId: string, ids: readonly string[]): Promise<WebPage[]> {
    if (ids.length === 0) return Promise.resolve([])
    return this.database.deletion(transaction =>
      transaction.all(sql`
        UPDATE web_pages SET ${webPages.set({ lease: undefined, dueAt: undefined })}
        WHERE workspace_id = ${workspaceId} AND id IN ${list([...ids])} RETURNING ${columns}`),
    )
  }

  async remove(workspaceId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.runDeletion(sql`
      DELETE FROM web_pages WHERE workspace_id = ${workspaceId} AND id IN ${list([...ids])}`)
  }

  /** Keeps the site map from adding the page again. */
  async exclude(workspaceId: string, id: string): Promise<void> {
    await this.run(webPages.update({ workspaceId, id }, excluded))
  }

  pagesOf(workspaceId: string, sitemapId: string, max: number): Promise<WebPage[]> {
    return this.database.all(sql`
      SELECT ${columns} FROM web_pages WHERE ${webPages.where({ workspaceId, sitemapId })} AND sitemap_id <> ''
      LIMIT ${max}`)
  }

  pagesOfDeletedBases(max: number) {
    // CROSS JOIN makes SQLite begin with the bases. It would look at all pages.
    return this.database.all(sql`
      SELECT ${webPages.columnsOf('p', 'workspaceId', 'id', 'fileId')} FROM knowledge_bases k CROSS JOIN web_pages p
      WHERE k.deleted_at IS NOT NULL AND p.workspace_id = k.workspace_id AND p.knowledge_id = k.id LIMIT ${max}`)
  }

  /** Workspaces with something to fetch, in the order of their ids. One look at the index finds the next workspace. */
  async dueWorkspaces(now: number): Promise<string[]> {
    const first = sql`SELECT MIN(workspace_id) FROM web_pages WHERE due_at IS NOT NULL`
    const rows = await this.database.all(sql`
      WITH RECURSIVE found (id) AS (
        ${first} UNION ALL SELECT (${first} AND workspace_id > found.id) FROM found WHERE id IS NOT NULL)
      SELECT id ${as('id', text())} FROM found WHERE EXISTS (
        SELECT 1 FROM web_pages p WHERE p.workspace_id = found.id AND p.due_at <= ${now})
      ORDER BY id`)
    return rows.map(({ id }) => id)
  }

  /** The host with something to fetch whose turn is next, by name. Pages of other hosts are not read. */
  async nextHost({ workspaceId, after, now, exceptHosts }: HostTurn): Promise<string | undefined> {
    const first = sql`SELECT MIN(host) FROM web_pages WHERE workspace_id = ${workspaceId} AND due_at IS NOT NULL`
    const row = await this.database.get(sql`
      WITH RECURSIVE found (host) AS (
        ${first} AND host > ${after}
        UNION ALL SELECT (${first} AND host > found.host) FROM found WHERE host IS NOT NULL)
      SELECT host ${as('host', text())} FROM found WHERE EXISTS (
        SELECT 1 FROM web_pages p WHERE p.workspace_id = ${workspaceId} AND p.host = found.host
          AND p.due_at <= ${now}) ${except(exceptHosts)}
      LIMIT 1`)
    if (row || after === '') return row?.host
    return this.nextHost({ workspaceId, after: '', now, exceptHosts })
  }

  async nextDue(): Promise<number | undefined> {
    const row = await this.database.get(sql`
      SELECT ${webPages.columns('dueAt')} FROM web_pages WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`)
    return row?.dueAt
  }

  /** Claims what has been due the longest on a host. Undefined if there is nothing, or other processes were faster. */
  claim(claim: PageClaim): Promise<WebPage | undefined> {
    const { workspaceId, host, lease, now, until } = claim
    return this.database.transaction(async transaction => {
      // With `due_at IS NOT NULL`, SQLite would use the index without hosts.
      const row = await transaction.get(sql`
        SELECT ${claimed} FROM web_pages
        WHERE workspace_id = ${workspaceId} AND host = ${host} AND due_at <= ${now}
        ORDER BY due_at LIMIT 1 ${this.database.forClaim}`)
      if (!row) return undefined
      const key = webPages.where({ workspaceId, id: row.id })
      const mayTake = row.lease === undefined || claim.mayTakeOver(row.lease)
      if (!mayTake) {
        await transaction.run(webPages.update(key, { dueAt: now + postponedMilliseconds }))
        return undefined
      }
      return transaction.get(sql`
        UPDATE web_pages SET ${webPages.set({ lease, dueAt: until })},
          status = CASE status WHEN 'deleting' THEN status ELSE 'fetching' END
        WHERE ${key} RETURNING ${columns}`)
    })
  }

  /**
   * Stores how the fetch ended, and releases the lease. `dueAt` follows from the schedule, which may have been changed
   * meanwhile, like the options. False when the lease is lost, so that nothing of this fetch counts.
   */
  finish(
    held: HeldPage,
    change: Partial<WebPage>,
    dueAt: (refresh: string, timezone: string | undefined) => number | undefined,
  ): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const row = await transaction.get(sql`
        SELECT ${settings} FROM web_pages WHERE ${heldBy(held)} ${this.database.forUpdate}`)
      if (!row) return false
      const options = change.options && { options: { ...row.options, found: change.options.found ?? 0 } }
      const next = dueAt(row.refresh, row.options.timezone)
      const ended = { ...change, ...options, lease: undefined, dueAt: next }
      await transaction.run(webPages.update(heldBy(held), ended))
      return true
    })
  }

  /**
   * Applies the current entries of a site map: new pages are added as far as there is room, known ones are fetched
   * again unless their `lastmod` is unchanged, and pages that it no longer names are marked. Site maps can be wrong
   * about changes, so pages fetched before `trustedAfter` are fetched anyway. Returns how many pages had no room.
   */
  reconcile(
    workspaceId: string,
    { id: sitemapId, knowledgeId }: Pick<WebPage, 'id' | 'knowledgeId'>,
    {
      pages,
      now,
      max,
      trustedAfter,
    }: { pages: readonly WebPage[]; now: number; max: number; trustedAfter: number },
  ): Promise<number> {
    return this.database.transaction(async transaction => {
      const known = await this.#knownUrls(transaction, workspaceId, knowledgeId)
      const fresh = pages.filter(({ url }) => !known.has(url))
      const added = fresh.slice(0, Math.max(0, max - known.size))
      await this.#insert(transaction, workspaceId, added)
      const own = sql`${webPages.where({ workspaceId, sitemapId })} AND sitemap_id <> ''`
      await transaction.run(webPages.update(own, { listed: false }))
      for (const some of groupsOf(pages, namesPerStatement)) {
        const urls = some.map(({ url }) => url)
        const named = sql`${own} AND ${webPages.where({ knowledgeId })} AND url IN ${list(urls)}`
        await transaction.run(webPages.update(named, { listed: true }))
      }
      const unchanged = await this.#takeOptions(transaction, own, pages, trustedAfter)
      // This includes missing pages: the response to the fetch shows that they are gone.
      await transaction.run(sql`
        UPDATE web_pages SET status = 'queued', failures = 0, due_at = ${now}
        WHERE ${own} AND lease IS NULL AND status IN ${raw("('ready', 'failed')")}`)
      for (const ids of groupsOf(unchanged, namesPerStatement)) {
        const ready = webPages.set({ status: 'ready', dueAt: undefined })
        await transaction.run(sql`
          UPDATE web_pages SET ${ready} WHERE ${own} AND lease IS NULL AND id IN ${list(ids)}`)
      }
      return fresh.length - added.length
    })
  }

  /** Stores the site map's data about known pages. Returns the pages that did not change since they were fetched. */
  async #takeOptions(
    transaction: Transaction,
    own: Query,
    pages: readonly WebPage[],
    trustedAfter: number,
  ): Promise<string[]> {
    const declared = new Map(pages.map(({ url, options }) => [url, options]))
    const known = await transaction.all(sql`
      SELECT ${webPages.columns('id', 'url', 'status', 'options', 'fetchedAt')} FROM web_pages WHERE ${own}`)
    const unchanged: string[] = []
    for (const { id, url, status, options, fetchedAt = 0 } of known) {
      const { lastmod, crawlDelay } = declared.get(url) ?? {}
      const isSame = lastmod !== undefined && lastmod === options.lastmod
      if (isSame && status === 'ready' && fetchedAt > trustedAfter) unchanged.push(id)
      if (lastmod === options.lastmod && crawlDelay === options.crawlDelay) continue
      const { lastmod: _, crawlDelay: __, ...kept } = options
      // A running fetch may have the old content.
      const next = { ...kept, ...(lastmod && { lastmod }), ...(crawlDelay && { crawlDelay }) }
      await transaction.run(webPages.update(sql`${own} AND lease IS NULL AND id = ${id}`, { options: next }))
    }
    return unchanged
  }
}
