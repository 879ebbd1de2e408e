import type { HeapInfo } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type { Task } from './worker-messages.ts'

/** A thread that reaches its heap limit may crash the process, so a lower limit is checked often. */
const checkMilliseconds = 50
/** By the clock a worker may be silent this many times as long: its priority is low, so beside other load it hardly runs. */
const clockFactor = 10

/** Memory outside of the heap, which grows when a file is unpacked: a small one must not become arbitrarily large. */
const maxUnpacked = (task: Task): number =>
  task.kind === 'read'
    ? limits.unpackedBytes + limits.unpackedRatio * task.file.bytes.byteLength
    : Number.POSITIVE_INFINITY

const tooSlow = (milliseconds: number): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    `Processing made no progress for ${Math.round(milliseconds / 1000)} s. Split the document, or save it in a simpler form.`,
  )

export const tooMuchMemory = (cause?: Error): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    'Processing needed more memory than allowed. Split the document, or save it in a simpler form.',
    { cause },
  )

interface WatchdogOptions {
  memoryMegabytes: number
  silenceMilliseconds: number
}

/** Ends the task of a thread that takes too much memory, or reports nothing for too long. */
export class Watchdog {
  readonly failed = new AbortController()
  readonly #worker: Worker
  readonly #maxHeap: number
  readonly #silenceMilliseconds: number
  readonly #timer: NodeJS.Timeout
  #maxExternal: number
  /** Since the last report; undefined while the thread waits or is being started. */
  #silence: { since: number; processorTime?: number } | undefined
  #isAsked = false

  constructor(worker: Worker, task: Task, { memoryMegabytes, silenceMilliseconds }: WatchdogOptions) {
    this.#worker = worker
    this.#maxHeap = memoryMegabytes * 2 ** 20
    this.#maxExternal = maxUnpacked(task)
    this.#silenceMilliseconds = silenceMilliseconds
    this.#timer = setInterval(() => this.#check(), checkMilliseconds)
  }

  /** From now on the thread is expected to report. */
  expectReport(): void {
    this.#silence = { since: performance.now() }
  }

  pause(): void {
    this.#silence = undefined
  }

  /** Rendering pages takes more memory, which is not released. */
  allowRendering(): void {
    this.#maxExternal += limits.renderingBytes
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    if (!this.#isAsked) {
      this.#isAsked = true
      Promise.all([this.#worker.getHeapStatistics(), this.#worker.cpuUsage()])
        .then(([heap, usage]) => this.#compare(heap, usage))
        // The thread does not run yet, or has ended.
        .catch(() => {})
        .finally(() => {
          this.#isAsked = false
        })
    }
    const maxSilence = clockFactor * this.#silenceMilliseconds
    // A thread answers late if it hardly runs, and not at all from within native code.
    if (this.#silence && performance.now() - this.#silence.since > maxSilence)
      this.failed.abort(tooSlow(maxSilence))
  }

  #compare(heap: HeapInfo, { user, system }: NodeJS.CpuUsage): void {
    if (heap.used_heap_size > this.#maxHeap || heap.external_memory > this.#maxExternal)
      this.failed.abort(tooMuchMemory())
    if (!this.#silence) return
    const processorTime = (user + system) / 1000
    this.#silence.processorTime ??= processorTime
    if (processorTime - this.#silence.processorTime > this.#silenceMilliseconds)
      this.failed.abort(tooSlow(this.#silenceMilliseconds))
  }
}
