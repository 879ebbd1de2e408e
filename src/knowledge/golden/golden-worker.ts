import type { Cluster } from '../../cluster/cluster.ts'
import { LeaseLost } from '../../cluster/lease-name.ts'
import { leaseMilliseconds } from '../../cluster/leases.ts'
import { type HeldRow, QueueWorker } from '../../cluster/queue-worker.ts'
import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { forEachConcurrently } from '../../kernel/for-each-concurrently.ts'
import type { WarnLog } from '../../kernel/warn-log.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import type { KnowledgeStore } from '../knowledge-store.ts'
import type { SearchService } from '../search/search-service.ts'
import { simplify } from '../text/fold-text.ts'
import type { GoldenStore } from './golden-store.ts'
import type { GoldenQuestion, GoldenResult, GoldenRun } from './golden-tables.ts'

interface GoldenWorkerParts {
  store: GoldenStore
  bases: Pick<KnowledgeStore, 'find'>
  search: Pick<SearchService, 'searchIn'>
  cluster: Pick<Cluster, 'time' | 'subscribe'>
  clock: Clock
  /** A run has ended, so that an index may be swapped in. */
  finished(): void
  log: WarnLog
}

/** A message between processes: a run was queued or decided. */
export const goldenChanged = 'golden.changed'
const pollMilliseconds = 2000
const runsAtOnce = 2
/** A run fails after this many attempts; only one that holds back an index is repeated until it is decided. */
const maxAttempts = 3
const maxPauseSeconds = 300
/** How often a run stores its progress and renews its lease. */
const renewMilliseconds = Math.min(1000, leaseMilliseconds / 3)

interface Progress {
  done: number
  total: number
}

interface Rank {
  rank?: number
  firstName?: string
}

/** What a run compares: the base with the new settings, and the previous rank of a question. */
interface Comparison {
  base: KnowledgeBase
  before(question: GoldenQuestion): Promise<number | undefined>
}

const folded = (text: string): string =>
  simplify(text.normalize('NFKC').toLowerCase()).replace(/\s+/g, ' ').trim()

/** Asks golden questions under a lease, and stores the result once, at the end. */
export class GoldenWorker {
  readonly #parts: GoldenWorkerParts
  readonly #queue: QueueWorker<GoldenRun>
  /** How far the runs are that this process works on, by their ids. */
  readonly #progress = new Map<string, Progress>()

  constructor(parts: GoldenWorkerParts) {
    this.#parts = parts
    const { store, cluster, log } = parts
    this.#queue = new QueueWorker({
      ...{ cluster, topic: goldenChanged, pollMilliseconds, atOnce: runsAtOnce },
      ...{ rows: store.rows, renewMilliseconds, log, subject: 'Golden questions' },
      renew: async (held, until) =>
        (await store.renew(held, until, this.#progress.get(held.id))) ? undefined : new LeaseLost(),
      work: (run, held, signal) => this.#work(run, held, signal),
    })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal)
  }

  async #work(run: GoldenRun, held: HeldRow, signal: AbortSignal): Promise<void> {
    const { store, cluster, clock, log } = this.#parts
    const progress: Progress = { done: 0, total: 0 }
    this.#progress.set(held.id, progress)
    try {
      await this.#ask(held, run, progress, signal)
    } catch (error) {
      const now = cluster.time.now()
      const wait = { dueAt: now, error: '', attempts: run.attempts, now: clock.now() }
      if (signal.aborted) return await store.release(held, wait)
      if (!(error instanceof AppError)) log.warn({ err: error, run_id: run.id }, 'Golden questions failed')
      const attempts = run.attempts + 1
      const isOver = run.reason !== 'index' && attempts >= maxAttempts
      const pause = Math.min(2 ** attempts, maxPauseSeconds) * 1000
      const message = error instanceof AppError ? error.message : 'Internal error; see the server log'
      const again = isOver ? {} : { dueAt: now + pause }
      await store.release(held, { ...again, error: message, attempts, now: clock.now() })
    } finally {
      this.#progress.delete(held.id)
      this.#parts.finished()
    }
  }

  async #ask(held: HeldRow, run: GoldenRun, progress: Progress, signal: AbortSignal): Promise<void> {
    const { store, cluster, clock } = this.#parts
    const { workspaceId } = held
    const comparison = await this.#compare(workspaceId, run)
    const ended = { topK: 0, total: 0, hits: 0, lost: 0, mrr: 0, results: [], finishedAt: clock.now() }
    if (!comparison) {
      // The base was deleted, or its settings were changed again.
      await store.finish(held, { ...ended, status: 'discarded' })
      return
    }
    const { base } = comparison
    const questions = await store.allQuestions(workspaceId, run.knowledgeId)
    const ids = questions.flatMap(({ fileIds }) => fileIds)
    const present = await store.documentNames(workspaceId, run.knowledgeId, ids)
    progress.total = questions.length
    await store.renew(held, cluster.time.now() + leaseMilliseconds, progress)
    const { topK } = base.retrieval
    const isFound = (rank: number | undefined): boolean => rank !== undefined && rank <= topK
    const results: GoldenResult[] = []
    await forEachConcurrently(limits.goldenConcurrency, questions.entries(), async ([at, question]) => {
      signal.throwIfAborted()
      const shown = { questionId: question.id, question: question.question }
      if (question.fileIds.some(id => present.has(id))) {
        const [now, rankBefore] = await Promise.all([
          this.#rank(workspaceId, base, question, true),
          comparison.before(question),
        ])
        const outcome = isFound(now.rank) ? 'found' : isFound(rankBefore) ? 'lost' : 'not_found'
        results[at] = { ...shown, outcome, ...now, ...(rankBefore !== undefined && { rankBefore }) }
      } else results[at] = { ...shown, outcome: 'no_document' }
      progress.done++
    })
    const lost = results.filter(({ outcome }) => outcome === 'lost').length
    const hits = results.filter(({ outcome }) => outcome === 'found').length
    const reciprocals = results.map(({ rank }) => (rank === undefined ? 0 : 1 / rank))
    const mrr = reciprocals.reduce((sum, each) => sum + each, 0) / Math.max(1, results.length)
    const { goldenMaxLost } = base
    const status = goldenMaxLost !== null && lost > goldenMaxLost ? 'lost' : 'passed'
    const total = results.length
    await store.finish(held, { status, topK, total, hits, lost, mrr, results, finishedAt: clock.now() })
  }

  async #compare(workspaceId: string, run: GoldenRun): Promise<Comparison | undefined> {
    const { store, bases } = this.#parts
    const base = await bases.find(workspaceId, run.knowledgeId)
    if (!base) return undefined
    const accepted = await store.lastAccepted(workspaceId, run.knowledgeId)
    const ranks = new Map(accepted?.results.map(each => [`${each.questionId} ${each.question}`, each.rank]))
    const acceptedRank = ({ id, question }: GoldenQuestion) => ranks.get(`${id} ${question}`)
    if (run.reason === 'manual') return { base, before: async question => acceptedRank(question) }
    // Both settings are measured now, with the same documents, so that only the change makes a difference.
    const before = async (old: KnowledgeBase, question: GoldenQuestion): Promise<number | undefined> => {
      try {
        return (await this.#rank(workspaceId, old, question, false)).rank
      } catch (error) {
        // The previous model may no longer exist.
        if (!(error instanceof AppError)) throw error
        return acceptedRank(question)
      }
    }
    if (run.reason === 'retrieval')
      return {
        base,
        before: question => before({ ...base, retrieval: run.previous ?? base.retrieval }, question),
      }
    if (base.next?.id !== run.generationId) return undefined
    return { base: { ...base, generation: base.next }, before: question => before(base, question) }
  }

  async #rank(
    workspaceId: string,
    base: KnowledgeBase,
    { question, fileIds, expectedText }: GoldenQuestion,
    mustBeComplete: boolean,
  ): Promise<Rank> {
    const topK = limits.goldenDepth
    const { items, warning } = await this.#parts.search.searchIn(workspaceId, base, { query: question, topK })
    // Without the model the result says nothing about the new settings.
    if (mustBeComplete && warning !== undefined) throw new AppError('model_failed', warning)
    const wanted = new Set(fileIds)
    const text = folded(expectedText)
    const at = items.findIndex(
      ({ chunk }) => wanted.has(chunk.fileId) && (text === '' || folded(chunk.content).includes(text)),
    )
    const firstName = items[0]?.chunk.fileName
    return { ...(at >= 0 && { rank: at + 1 }), ...(firstName !== undefined && { firstName }) }
  }
}
