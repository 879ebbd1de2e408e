import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DocumentFailure, type DocumentFailureCode } from '../../../src/knowledge/ingest/document-failure.ts'

type Answer = { blocks: number } | { code: DocumentFailureCode; message: string }

/**
 * Reads PDFs in a thread of their own, as the server does. The PDF library leaves rejections behind on damaged files;
 * the test runner would take those for failures of the test.
 */
export const startPdfWorker = () => {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return {
    /** Number of blocks. */
    async read(bytes: Uint8Array): Promise<number> {
      worker.postMessage(new Uint8Array(bytes))
      const [answer] = (await once(worker, 'message')) as [Answer]
      if ('code' in answer) throw new DocumentFailure(answer.code, answer.message)
      return answer.blocks
    },
    stop: () => worker.terminate(),
  }
}
