import type { Logger } from 'pino'
import { type Cluster, workspaceDeleted } from '../../cluster/cluster.ts'
import { AppError } from '../../kernel/app-error.ts'
import { mintId } from '../../kernel/ids.ts'
import { pause } from '../../kernel/pause.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { WakeLoop } from '../../kernel/wake-loop.ts'
import type { SegmentMerger } from '../index/segment-merger.ts'
import type { DocumentError } from '../knowledge-base.ts'
import type { KnowledgeStore } from '../knowledge-store.ts'
import type { VectorIndex } from '../search/vector-index.ts'
import { DocumentFailure, documentFailures } from './document-failure.ts'
import { failureOf } from './failure-of.ts'
import { GroupTask } from './group-task.ts'
import { type IngestionJob, isSlow } from './ingestion-queue.ts'
import { IngestionTask, type TaskParts } from './ingestion-task.ts'
import { RecognitionFailure } from './recognition/recognition-service.ts'

/** Documents that are processed at the same time: while one is embedded, another one can be parsed. */
interface IngestCapacity {
  documents: number
  /** How many of these documents may take long, so that others need not wait for hours. */
  slow: number
}

interface IngestOptions {
  total: IngestCapacity
  /** Capacity for one workspace; less than the total, so that others need not wait for its documents. */
  share: IngestCapacity
}

/** `lost`: the lease ended or the job was removed, so that its output does not count. */
export type IngestOutcome = 'ready' | 'failed' | 'retried' | 'lost'

interface IngestParts extends TaskParts {
  cluster: Pick<Cluster, 'subscribe'>
  bases: KnowledgeStore
  vectors: VectorIndex
  merger: SegmentMerger
  log: Logger
  observer?: { document(outcome: IngestOutcome, seconds: number, chunks: number): void }
}

/** A message between processes: there may be a job. */
export const documentsDue = 'documents.due'
/** How often to look for jobs of other processes. */
const pollMilliseconds = 2000
const maxTimerMilliseconds = 2 ** 31 - 1
const maxRetries = 4
/** An outage of a model that recognises text delays a document by up to half an hour; recognised pages are cached. */
const maxRecognitionRetries = 12
const maxPauseSeconds = 300
const outageSeconds = 5

/** Claims jobs from the queue and runs them concurrently. Workspaces take turns. */
export class Ingestor {
  readonly #parts: IngestParts
  readonly #options: IngestOptions
  readonly #loop = new WakeLoop()
  readonly #running = new Set<Promise<void>>()
  /** Tasks by their leases. */
  readonly #tasks = new Map<string, IngestionTask | GroupTask>()
  readonly #used: IngestCapacity = { documents: 0, slow: 0 }
  readonly #usedBy = new Map<string, IngestCapacity>()
  /** The workspace whose turn it was last. */
  #lastTurn = ''
  #isRunning = false

  constructor(parts: IngestParts, options: IngestOptions) {
    this.#parts = parts
    this.#options = options
    parts.cluster.subscribe(documentsDue, () => this.#loop.wake())
    // The leases of its jobs were revoked.
    parts.cluster.subscribe(workspaceDeleted, workspaceId => this.#abandonWorkspace(workspaceId))
  }

  get activeJobs(): number {
    return this.#tasks.size
  }

  #abandonWorkspace(workspaceId: string): void {
    for (const task of this.#tasks.values()) if (task.workspaceId === workspaceId) task.cancel()
  }

  /** Runs until the signal; then jobs in progress go back into the queue. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true
    await this.#parts.leases.whileRenewing(async () => {
      await this.#loop.run(signal, async woken => {
        await this.#fill(signal).catch((error: unknown) =>
          this.#parts.log.warn({ err: error }, 'The ingestion queue could not be read; trying again'),
        )
        await Promise.race([this.#untilDue(woken), ...this.#running])
      })
      this.#isRunning = false
      await Promise.all(this.#running)
    })
  }

  /** Fails while added documents would not be processed. */
  async check(): Promise<void> {
    if (!this.#isRunning) throw new AppError('unavailable', 'The ingestion of documents has not started yet')
  }

  get #isFull(): boolean {
    return this.#used.documents >= this.#options.total.documents
  }

  /** Some due jobs may have to wait until another one ends. */
  get #holdsBack(): boolean {
    const isUsed = (used: IngestCapacity, capacity: IngestCapacity): boolean =>
      used.documents >= capacity.documents || used.slow >= capacity.slow
    const { total, share } = this.#options
    return isUsed(this.#used, total) || [...this.#usedBy.values()].some(used => isUsed(used, share))
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const { leases, bases } = this.#parts
    await leases.time.refresh()
    const passed = new Set<string>()
    while (!this.#isFull && !signal.aborted) {
      const now = leases.time.now()
      // Reads first: a claim is a write, and an idle server does not write.
      const workspaceId = await this.#nextTurn(now)
      if (workspaceId === undefined || passed.has(workspaceId)) break
      if (!(await this.#startDue(workspaceId, now, signal))) passed.add(workspaceId)
    }
    // Runs even while all places are taken, which may last for hours.
    await bases.swapCompleted(leases.time.now())
  }

  async #nextTurn(now: number): Promise<string | undefined> {
    const onlyQuick = this.#used.slow >= this.#options.total.slow
    const next = await this.#parts.queue.nextWorkspace(this.#lastTurn, now, onlyQuick)
    this.#lastTurn = next ?? this.#lastTurn
    return next
  }

  #start(job: IngestionJob, signal: AbortSignal): void {
    const task = new IngestionTask(job, this.#parts)
    this.#run([job], task, isSlow(job) ? 1 : 0, () => this.#ingest(job, task, signal))
  }

  /** A group takes the place of one document. */
  #startGroup(jobs: IngestionJob[], signal: AbortSignal): void {
    const task = new GroupTask(jobs, this.#parts)
    this.#run(jobs, task, 0, () => this.#ingestGroup(jobs, task, signal))
  }

  #run(jobs: IngestionJob[], task: IngestionTask | GroupTask, slow: number, work: () => Promise<void>): void {
    const { workspaceId } = task
    const used = this.#usedBy.get(workspaceId) ?? { documents: 0, slow: 0 }
    this.#usedBy.set(workspaceId, used)
    for (const each of [used, this.#used]) {
      each.documents++
      each.slow += slow
    }
    for (const { lease } of jobs) this.#tasks.set(lease, task)
    const running: Promise<void> = work().finally(() => {
      this.#running.delete(running)
      for (const { lease } of jobs) this.#tasks.delete(lease)
      for (const each of [used, this.#used]) {
        each.documents--
        each.slow -= slow
      }
      if (used.documents === 0) this.#usedBy.delete(workspaceId)
    })
    this.#running.add(running)
  }

  /** Starts as many jobs as there is room for; false if none. Claims at the same time share a commit. */
  async #startDue(workspaceId: string, now: number, signal: AbortSignal): Promise<boolean> {
    const { total, share } = this.#options
    const room = (of: keyof IngestCapacity): number =>
      Math.max(
        0,
        Math.min(total[of] - this.#used[of], share[of] - (this.#usedBy.get(workspaceId)?.[of] ?? 0)),
      )
    let isStarted = false
    while (room('documents') > 0) {
      const group = await this.#claimGroup(workspaceId, now)
      if (group.length === 0) break
      this.#startGroup(group, signal)
      isStarted = true
    }
    const slowRoom = room('slow')
    const claims = Array.from({ length: room('documents') }, async (_, at) => {
      const job = await this.#claim(workspaceId, now, at >= slowRoom)
      if (job) this.#start(job, signal)
      return job !== undefined
    })
    return (await Promise.all(claims)).includes(true) || isStarted
  }

  async #claimGroup(workspaceId: string, now: number): Promise<IngestionJob[]> {
    const { groups, leases } = this.#parts
    const unused = new Set<string>()
    const mint = () => {
      const names = { lease: leases.mint(), batchId: mintId('batch') }
      unused.add(names.lease)
      return names
    }
    try {
      const jobs = await groups.claim({ workspaceId, now, until: leases.until(), mint })
      // The task drops them at its end.
      for (const { lease } of jobs) unused.delete(lease)
      return jobs
    } finally {
      for (const lease of unused) leases.drop(lease)
    }
  }

  /** Undefined when nothing is due, or another process was faster. */
  async #claim(workspaceId: string, now: number, onlyQuick: boolean): Promise<IngestionJob | undefined> {
    const { queue, leases } = this.#parts
    const lease = leases.mint()
    let job: IngestionJob | undefined
    try {
      job = await queue.claim({
        ...{ workspaceId, lease, batchId: mintId('batch'), now, until: leases.until() },
        onlyQuick,
        mayTakeOver: held => leases.mayTakeOver(held),
      })
      return job
    } finally {
      // The task drops it at its end.
      if (!job) leases.drop(lease)
    }
  }

  async #untilDue(woken: AbortSignal): Promise<void> {
    // Only the end of a job makes room.
    if (this.#isFull) return pause(maxTimerMilliseconds, woken)
    const due = await this.#parts.queue.nextDue().catch(() => undefined)
    const wait = due === undefined ? pollMilliseconds : due - this.#parts.leases.time.now()
    const milliseconds = this.#holdsBack ? pollMilliseconds : Math.min(Math.max(wait, 20), pollMilliseconds)
    await pause(milliseconds, woken)
  }

  async #ingest(job: IngestionJob, task: IngestionTask, signal: AbortSignal): Promise<void> {
    const { queue, leases } = this.#parts
    const startedAt = performance.now()
    const observe = (outcome: IngestOutcome, chunks: number): void =>
      this.#parts.observer?.document(outcome, (performance.now() - startedAt) / 1000, chunks)
    try {
      if (!(await task.run(signal))) return observe('lost', 0)
      observe('ready', task.chunkCount)
      this.#index(job, signal)
    } catch (error) {
      const now = leases.time.now()
      if (signal.aborted)
        await queue.release(job, { dueAt: now, retries: job.retries, error: undefined, now }).catch(() => {})
      else observe(await this.#handleFailure(job, error, now, task.recognisedPages), 0)
    }
  }

  async #ingestGroup(jobs: IngestionJob[], task: GroupTask, signal: AbortSignal): Promise<void> {
    const { leases, log, observer } = this.#parts
    const startedAt = performance.now()
    const observe = (outcome: IngestOutcome, chunks: number): void =>
      observer?.document(outcome, (performance.now() - startedAt) / 1000, chunks)
    try {
      const { ready, failed, alone } = await task.run(signal)
      for (const { chunks } of ready) observe('ready', chunks.length)
      const held = ready.length + failed.length + alone.length
      for (let lost = jobs.length - held; lost > 0; lost--) observe('lost', 0)
      if (ready.length > 0) this.#index(jobs[0]!, signal)
      for (const { job, error } of failed)
        observe(await this.#handleFailure(job, error, leases.time.now()), 0)
      await this.#releaseAll(alone)
    } catch (error) {
      if (!signal.aborted)
        log.info({ err: error }, 'Documents could not be processed together; trying each of them alone')
      await this.#releaseAll(jobs)
    }
  }

  /** Releasing ends the first attempt of the jobs, so each is tried alone next. */
  async #releaseAll(jobs: readonly IngestionJob[]): Promise<void> {
    const { queue, leases } = this.#parts
    const now = leases.time.now()
    const change = { dueAt: now, retries: 0, error: undefined, now }
    await Promise.all(jobs.map(job => queue.release(job, change).catch(() => {})))
  }

  /** Updates the indexes. Not awaited, because the next document need not wait for that. */
  #index({ workspaceId, generationId, embeddingModel }: IngestionJob, signal: AbortSignal): void {
    const { merger, vectors, log } = this.#parts
    if (embeddingModel) vectors.refresh(workspaceId, generationId)
    merger
      .merge(workspaceId, generationId, signal)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'Merging the keyword index failed; trying again later'),
      )
  }

  /** Retries with growing delays where that can help; otherwise the document fails. */
  async #handleFailure(
    job: IngestionJob,
    error: unknown,
    now: number,
    recognisedPages = 0,
  ): Promise<'failed' | 'retried'> {
    const { queue, log } = this.#parts
    const { code, message, isTransient, waitMilliseconds = 0 } = failureOf(error)
    const { retryable } = error instanceof DocumentFailure ? error : documentFailures[code]
    const shown: DocumentError = { code, message, retryable }
    const context = { knowledge_id: job.knowledgeId, file_id: job.fileId, code }
    // While the file store or the database is down, documents wait. A statement that takes too long may always do so.
    const isOutage = isTemporary(error) && error.reason !== 'timed_out'
    const isRecognition = error instanceof RecognitionFailure
    // Pages of earlier attempts come from the cache, even while the model fails: only further pages are progress.
    const pagesBefore = job.pagesDone ?? 0
    const hasProgress = isRecognition && recognisedPages > pagesBefore
    const retries = (hasProgress ? 0 : job.retries) + (isOutage ? 0 : 1)
    const isRetried =
      isOutage || (isTransient && retries <= (isRecognition ? maxRecognitionRetries : maxRetries))
    try {
      if (isRetried) {
        const seconds = isOutage ? outageSeconds : Math.min(2 ** retries, maxPauseSeconds)
        const backoff = Math.max(waitMilliseconds, 1000 * seconds * (0.5 + Math.random()))
        log.info({ ...context, err: error }, 'A document could not be processed; trying again')
        const pagesDone = Math.max(pagesBefore, recognisedPages)
        const pages = pagesDone > 0 && { pagesDone }
        await queue.release(job, { dueAt: now + Math.ceil(backoff), retries, error: shown, now, ...pages })
      } else {
        log.info({ ...context, err: error }, 'A document failed')
        await queue.fail(job, shown, now)
      }
    } catch (problem) {
      // The lease expires by itself, and then the job is claimed again.
      log.warn({ ...context, err: problem }, 'The state of a document could not be saved')
    }
    return isRetried ? 'retried' : 'failed'
  }
}
