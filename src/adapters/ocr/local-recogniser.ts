import { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { TextRecogniser } from '../../knowledge/ingest/recognition/medium.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { nextMessage, ThreadPool } from '../workers/thread-pool.ts'

interface Reply {
  text?: string
  error?: string
}

export function isOcrInstalled(): boolean {
  try {
    import.meta.resolve('@gutenye/ocr-node')
    return true
  } catch {
    return false
  }
}

const failed = (detail: string, retryable: boolean): ModelFailure =>
  new ModelFailure(`Local text recognition failed: ${detail}`, { retryable, detail })

const timeout = {
  milliseconds: limits.recognitionMilliseconds,
  late: () => failed(`a page took more than ${limits.recognitionMilliseconds / 1000} s`, false),
  ended: () => failed('its thread ended', true),
  crashed: (error: Error) => failed(String(error), false),
}

async function exchange(worker: Worker, jpeg: Uint8Array, stopping: AbortSignal): Promise<string> {
  worker.postMessage(jpeg)
  const { text, error } = await nextMessage<Reply>(worker, stopping, timeout)
  if (text === undefined) throw failed(error ?? 'no text', false)
  return text
}

/** PaddleOCR models in a thread: they use all processors, so one page at a time. */
export function createLocalRecogniser(): TextRecogniser & { close(): Promise<void> } {
  const threads = new ThreadPool({
    // One place for all workspaces, which take turns.
    threads: 0,
    maxWaiting: limits.waitingPages,
    // The models take 400 MB, and two seconds to load.
    idleMilliseconds: 60_000,
    start: () =>
      new Worker(new URL('./ocr-worker.ts', import.meta.url), {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      }),
    tooMany: () =>
      new AppError('rate_limited', 'Too many pages of this workspace wait to be recognised; try again later'),
    closed: () => new Error('Text recognition is stopped'),
  })
  return {
    id: 'local paddle-ocr-1',
    form: 'plain',
    recognise: (jpeg, { workspaceId, signal }) => threads.run(workspaceId, () => jpeg, exchange, signal),
    close: () => threads.close(),
  }
}
