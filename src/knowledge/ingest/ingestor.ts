import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { FileService } from '../../files/file-service.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { mintId } from '../../kernel/ids.ts'
import { hasEnded, processName } from '../../kernel/lease.ts'
import type { Embedder } from '../embedder.ts'
import type { SegmentMerger } from '../index/segment-merger.ts'
import type { VectorIndex } from '../search/vector-index.ts'
import type { DocumentReader } from './document-reader.ts'
import { failureOf } from './failure-of.ts'
import type { Reading, ReadingStore } from './reading-store.ts'
import { ReadingTask } from './reading-task.ts'

export interface IngestOptions {
  /** Documents that are worked on at the same time: while one is embedded, another one can be read. */
  concurrency: number
  /** Of these, so many may be large: small ones must not wait for hours behind them. */
  mostLarge: number
  leaseMilliseconds: number
  /** How often to look for work that another process left. */
  pollMilliseconds: number
  mostRetries: number
  /** All who share the database run on this machine: the leases of those that have ended can be taken over at once. */
  isAlone: boolean
}

export interface IngestParts {
  readings: ReadingStore
  files: FileService
  reader: DocumentReader
  embedder: Embedder
  vectors: VectorIndex
  merger: SegmentMerger
  clock: Clock
  log: Logger
}

/** A document of more than this takes a while. */
const largeBytes = 4 << 20

/** Takes documents out of the queue and reads them, as many at a time as it may. */
export class Ingestor {
  readonly #parts: IngestParts
  readonly #options: IngestOptions
  readonly #running = new Set<Promise<void>>()
  #largeRunning = 0
  #wake: () => void = () => {}
  #isAtWork = false

  constructor(parts: IngestParts, options: IngestOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** There may be something to do. */
  wake(): void {
    this.#wake()
  }

  /** Works until the signal; then what is under way goes back into the queue. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isAtWork = true
    if (this.#options.isAlone) await this.#takeOver()
    while (!signal.aborted) {
      const woken = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      const found = await this.#fill(signal).catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'The queue of documents could not be read; it is tried again')
        return false
      })
      if (found) await Promise.race([woken, ...this.#running])
      else await Promise.race([woken, ...this.#running, this.#untilDue(signal)])
    }
    this.#isAtWork = false
    await Promise.all(this.#running)
  }

  /** Fails while nobody would read what is added. */
  async check(): Promise<void> {
    if (!this.#isAtWork) throw new AppError('unavailable', 'Documents are not being read yet')
  }

  /** After a crash nobody needs to wait for the leases to run out. */
  async #takeOver(): Promise<void> {
    const { readings, clock, log } = this.#parts
    try {
      const leases = (await readings.leases()).filter(hasEnded)
      if (leases.length > 0) await readings.expire(leases, clock.now())
    } catch (error) {
      log.warn({ err: error }, 'Leases of an earlier run could not be taken over; they run out by themselves')
    }
  }

  /** Starts what can be started; tells whether all places are taken. */
  async #fill(signal: AbortSignal): Promise<boolean> {
    while (this.#running.size < this.#options.concurrency && !signal.aborted) {
      const now = this.#parts.clock.now()
      const isFull = this.#largeRunning >= this.#options.mostLarge
      const reading = await this.#claim(now, isFull ? largeBytes : undefined)
      if (!reading) {
        await this.#parts.readings.swapWhole(now)
        // Large ones may be due, but their places are taken; whoever ends makes room.
        return isFull
      }
      this.#begin(reading, signal)
    }
    return true
  }

  #begin(reading: Reading, signal: AbortSignal): void {
    const large = reading.size > largeBytes ? 1 : 0
    this.#largeRunning += large
    const task: Promise<void> = this.#read(reading, signal).finally(() => {
      this.#running.delete(task)
      this.#largeRunning -= large
    })
    this.#running.add(task)
  }

  /** Looks first: a claim is a write, and an idle server should not write. */
  async #claim(now: number, mostBytes: number | undefined): Promise<Reading | undefined> {
    const due = await this.#parts.readings.nextDue()
    if (due === undefined || due > now) return undefined
    return this.#parts.readings.claim({
      lease: `${processName()}/${randomBytes(12).toString('base64url')}`,
      batchId: mintId('batch'),
      now,
      until: now + this.#options.leaseMilliseconds,
      ...(mostBytes !== undefined && { mostBytes }),
    })
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const due = await this.#parts.readings.nextDue().catch(() => undefined)
    const wait = due === undefined ? this.#options.pollMilliseconds : due - this.#parts.clock.now()
    const milliseconds = Math.min(Math.max(wait, 20), this.#options.pollMilliseconds)
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
  }

  async #read(reading: Reading, signal: AbortSignal): Promise<void> {
    const { readings, clock, log, merger, vectors } = this.#parts
    const task = new ReadingTask(reading, this.#parts, this.#options.leaseMilliseconds)
    try {
      if (!(await task.run(signal))) return
      if (reading.embeddingModel) vectors.refresh(reading.workspaceId, reading.generationId)
      // It goes on beside: the next document need not wait for it.
      merger
        .merge(reading.workspaceId, reading.generationId, signal)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'Merging the keyword index failed; it is tried again'),
        )
    } catch (error) {
      const now = clock.now()
      if (signal.aborted)
        await readings
          .release(reading, { dueAt: now, retries: reading.retries, error: undefined, now })
          .catch(() => {})
      else await this.#settle(reading, error, now)
    }
  }

  /** Another try where that can help, with growing pauses; else it has failed, with a reason. */
  async #settle(reading: Reading, error: unknown, now: number): Promise<void> {
    const { readings, log } = this.#parts
    const failure = failureOf(error)
    const context = { knowledge_id: reading.knowledgeId, file_id: reading.fileId, code: failure.error.code }
    const retries = reading.retries + 1
    try {
      if (failure.tryAgain && retries <= this.#options.mostRetries) {
        const pause = Math.max(failure.waitMilliseconds ?? 0, 1000 * 2 ** retries * (0.5 + Math.random()))
        log.info({ ...context, err: error }, 'A document could not be read; it is tried again')
        await readings.release(reading, { dueAt: now + Math.ceil(pause), retries, error: failure.error, now })
      } else {
        log.info({ ...context, err: error }, 'A document failed')
        await readings.fail(reading, failure.error, now)
      }
    } catch (problem) {
      // The lease runs out by itself, and somebody takes it up again.
      log.warn({ ...context, err: problem }, 'The state of a document could not be written')
    }
  }
}
