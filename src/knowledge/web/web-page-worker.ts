import type { Logger } from 'pino'
import type { Cluster } from '../../cluster/cluster.ts'
import { LeaseLost } from '../../cluster/lease-name.ts'
import type { Leases } from '../../cluster/leases.ts'
import { limits } from '../../contract/limits.ts'
import type { FileService } from '../../files/file-service.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { pause } from '../../kernel/pause.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { WakeLoop } from '../../kernel/wake-loop.ts'
import type { PageIngest } from './page-ingest.ts'
import { nextRefresh } from './refresh-schedule.ts'
import type { SiteMapIngest } from './site-map-ingest.ts'
import { WebFailure, type WebFailureCode, webFailures } from './web-failure.ts'
import type { HeldPage, PageKey, WebError, WebPage } from './web-page.ts'
import type { WebPageStore } from './web-page-store.ts'

/** `lost`: the lease ended, or the page was deleted meanwhile. */
export type FetchOutcome = 'changed' | 'unchanged' | 'failed' | 'retried' | 'lost'

interface WebPageWorkerParts {
  store: WebPageStore
  pages: PageIngest
  siteMaps: SiteMapIngest
  leases: Leases<PageKey>
  files: Pick<FileService, 'remove'>
  documents: { remove(workspaceId: string, knowledgeId: string, id: string): Promise<boolean> }
  cluster: Pick<Cluster, 'subscribe'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  observer?: { webPage(outcome: FetchOutcome, seconds: number): void }
}

/** A message between processes: something is to be fetched. */
export const webPagesChanged = 'web-pages.changed'

const pollMilliseconds = 2000
const outageMilliseconds = 5000
const firstPauseMilliseconds = 15_000
const pagesPerStep = 20

/** Fetches pages and site maps that are due. Workspaces and their hosts take turns, and no host is fetched from too often. */
export class WebPageWorker {
  readonly #parts: WebPageWorkerParts
  readonly #loop = new WakeLoop()
  readonly #running = new Set<Promise<void>>()
  readonly #workspaces = new Map<string, number>()
  readonly #hosts = new Map<string, number>()
  /** Until when hosts are not contacted that are overloaded or ask for time between requests. */
  readonly #paused = new Map<string, number>()
  /** The workspace whose turn it was last. */
  #lastTurn = ''
  /** The host whose turn it was last, by workspace. */
  readonly #lastHosts = new Map<string, string>()

  constructor(parts: WebPageWorkerParts) {
    this.#parts = parts
    parts.cluster.subscribe(webPagesChanged, () => this.#loop.wake())
  }

  /** Runs until the signal; then pages that are being fetched go back into the queue. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#parts.leases.whileRenewing(async () => {
      await this.#loop.run(signal, async woken => {
        await this.#fill(signal).catch((error: unknown) =>
          this.#parts.log.warn({ err: error }, 'Web pages could not be claimed; trying again'),
        )
        await Promise.race([this.#untilDue(woken), ...this.#running])
      })
      await Promise.all(this.#running)
    })
  }

  async #untilDue(woken: AbortSignal): Promise<void> {
    const { store, leases } = this.#parts
    const isFull = this.#running.size >= limits.webFetches
    const due = isFull ? undefined : await store.nextDue().catch(() => undefined)
    const wait = due === undefined ? pollMilliseconds : due - leases.time.now()
    // Pages that are due already wait for a host or for their turn.
    const milliseconds = wait <= 0 ? pollMilliseconds : Math.min(Math.max(wait, 20), pollMilliseconds)
    await pause(milliseconds, woken)
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const { store, leases } = this.#parts
    await leases.time.refresh()
    const passed = new Set<string>()
    while (this.#running.size < limits.webFetches && !signal.aborted) {
      const now = leases.time.now()
      const exceptHosts = this.#busyHosts(now)
      // Reads first: a claim is a write, and an idle server does not write.
      const due = await store.dueWorkspaces(now)
      const open = due.filter(
        id => !passed.has(id) && (this.#workspaces.get(id) ?? 0) < limits.webFetches / 2,
      )
      const workspaceId = open.find(id => id > this.#lastTurn) ?? open[0]
      if (workspaceId === undefined) return
      this.#lastTurn = workspaceId
      const after = this.#lastHosts.get(workspaceId) ?? ''
      const host = await store.nextHost({ workspaceId, after, now, exceptHosts })
      if (host === undefined) {
        passed.add(workspaceId)
        continue
      }
      this.#lastHosts.set(workspaceId, host)
      const lease = leases.mint()
      const claim = { workspaceId, host, lease, now, until: leases.until() }
      const page = await store
        .claim({ ...claim, mayTakeOver: held => leases.mayTakeOver(held) })
        .catch((error: unknown) => {
          leases.drop(lease)
          throw error
        })
      if (page) this.#start({ workspaceId, id: page.id, lease }, page, signal)
      else {
        leases.drop(lease)
        passed.add(workspaceId)
      }
    }
  }

  #busyHosts(now: number): string[] {
    for (const [host, until] of this.#paused) if (until <= now) this.#paused.delete(host)
    const full = [...this.#hosts].filter(([, count]) => count >= limits.webFetchesPerHost)
    return [...new Set([...full.map(([host]) => host), ...this.#paused.keys()])]
  }

  #start(held: HeldPage, page: WebPage, stopping: AbortSignal): void {
    const { leases, log } = this.#parts
    const uses = [
      [this.#workspaces, held.workspaceId],
      [this.#hosts, page.host],
    ] as const
    for (const [counts, key] of uses) counts.set(key, (counts.get(key) ?? 0) + 1)
    // The robots.txt of the host asks for time between requests, so they are sent one after the other.
    const { crawlDelay } = page.options
    if (crawlDelay) this.#paused.set(page.host, leases.time.now() + crawlDelay * 1000)
    const lost = new AbortController()
    leases.keep(held, { lost: () => lost.abort(new LeaseLost()) })
    const signal = AbortSignal.any([stopping, lost.signal])
    const running: Promise<void> = this.#work(held, page, signal, stopping)
      // The lease expires, and then the page is fetched again.
      .catch((error: unknown) => log.warn({ err: error, page_id: page.id }, 'A web page could not be stored'))
      .finally(() => {
        leases.drop(held.lease)
        this.#running.delete(running)
        for (const [counts, key] of uses) {
          const left = counts.get(key)! - 1
          if (left > 0) counts.set(key, left)
          else counts.delete(key)
        }
      })
    this.#running.add(running)
  }

  async #work(held: HeldPage, page: WebPage, signal: AbortSignal, stopping: AbortSignal): Promise<void> {
    const { pages, siteMaps, store, leases, log, observer } = this.#parts
    const startedAt = performance.now()
    const observe = (outcome: FetchOutcome): void =>
      observer?.webPage(outcome, (performance.now() - startedAt) / 1000)
    try {
      if (page.status === 'deleting') await this.#deleteSiteMap(held, signal)
      else if (page.kind === 'page') observe(await pages.run(held, page, signal))
      else {
        await siteMaps.run(held, page, signal)
        observe('changed')
        this.#loop.wake()
      }
    } catch (error) {
      if (stopping.aborted) {
        const released = page.status === 'deleting' ? {} : { status: 'queued' as const }
        await store.finish(held, released, () => leases.time.now())
      } else if (error instanceof LeaseLost || signal.aborted) observe('lost')
      else if (page.status === 'deleting') {
        log.warn({ err: error, page_id: page.id }, 'A site map could not be deleted; trying again')
        await store.finish(held, {}, () => leases.time.now() + outageMilliseconds)
      } else observe(await this.#handleFailure(held, page, error))
    }
  }

  /** Tries again with growing pauses where that can help. The last text of a page stays in the base. */
  async #handleFailure(held: HeldPage, page: WebPage, error: unknown): Promise<'failed' | 'retried'> {
    const { store, leases, clock, log } = this.#parts
    const now = leases.time.now()
    // While the file store or the database is down, pages wait.
    if (isTemporary(error)) {
      await store.finish(held, { status: 'queued' }, () => now + outageMilliseconds)
      return 'retried'
    }
    const { code, message, isTransient, waitMilliseconds } = failureOf(error)
    const context = { page_id: page.id, knowledge_id: page.knowledgeId, code }
    if (code === 'internal') log.warn({ ...context, err: error }, 'A web page could not be fetched')
    else log.info({ ...context, reason: message }, 'A web page could not be fetched')
    const failures = page.failures + 1
    const isRetried = isTransient && failures <= limits.webRetries
    const shown: WebError = { code, message, retryable: webFailures[code].retryable }
    // Half of the backoff is random, so that many pages are not retried at the same moment.
    const backoff = Math.min(firstPauseMilliseconds * 4 ** (failures - 1), limits.webRetryMilliseconds)
    const wait = waitMilliseconds || backoff * (0.5 + Math.random() / 2)
    if (code === 'server_error') {
      const until = Math.max(this.#paused.get(page.host) ?? 0, now + waitMilliseconds)
      this.#paused.set(page.host, until)
    }
    const change = { error: shown, failures: isRetried ? failures : 0, fetchedAt: clock.now() }
    await store.finish(held, { ...change, status: isRetried ? 'queued' : 'failed' }, (refresh, timezone) =>
      isRetried ? now + Math.ceil(wait) : nextRefresh(refresh, now, timezone),
    )
    return isRetried ? 'retried' : 'failed'
  }

  /** Deletes the pages first, so that a crash leaves none behind. */
  async #deleteSiteMap(held: HeldPage, signal: AbortSignal): Promise<void> {
    const { store } = this.#parts
    const { workspaceId, id } = held
    for (;;) {
      signal.throwIfAborted()
      const ids = (await store.pagesOf(workspaceId, id, pagesPerStep)).map(page => page.id)
      if (ids.length === 0) break
      for (const page of await store.stop(workspaceId, ids)) await this.removePage(workspaceId, page)
      await store.remove(workspaceId, ids)
    }
    await store.remove(workspaceId, [id])
  }

  /** Removes the document, and the file unless it is used elsewhere. */
  async removePage(workspaceId: string, { knowledgeId, fileId }: Pick<WebPage, 'knowledgeId' | 'fileId'>) {
    if (fileId === '') return
    const { documents, files } = this.#parts
    await documents.remove(workspaceId, knowledgeId, fileId)
    await files.remove(workspaceId, [fileId], false)
  }

  /** Deletes some pages of deleted bases, with their files; true when there may be more. */
  async sweep(): Promise<boolean> {
    const { store, files } = this.#parts
    const pages = await store.pagesOfDeletedBases(pagesPerStep)
    for (const { workspaceId, id, fileId } of pages) {
      if (fileId !== '') await files.remove(workspaceId, [fileId], false)
      await store.remove(workspaceId, [id])
    }
    return pages.length > 0
  }
}

interface Failure {
  code: WebFailureCode
  message: string
  isTransient: boolean
  waitMilliseconds: number
}

/** The failure that the user sees. */
function failureOf(error: unknown): Failure {
  if (error instanceof WebFailure) return error
  const given = { isTransient: false, waitMilliseconds: 0 }
  if (error instanceof AppError && error.reason === 'quota_exceeded')
    return { ...given, code: 'quota_exceeded', message: error.message }
  if (error instanceof AppError && error.reason === 'too_large')
    return { ...given, code: 'too_large', message: error.message }
  return { ...given, code: 'internal', message: 'An internal error. See the server log.', isTransient: true }
}
