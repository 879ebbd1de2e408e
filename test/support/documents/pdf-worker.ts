import { parentPort } from 'node:worker_threads'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import { readPdf } from '../../../src/knowledge/ingest/readers/pdf/read-pdf.ts'

/** Reads each PDF it receives and replies with the outcome. Any other error ends the thread. */
parentPort?.on('message', async (bytes: Uint8Array) => {
  try {
    let blocks = 0
    for await (const _ of readPdf(bytes)) blocks += 1
    parentPort?.postMessage({ blocks })
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error
    parentPort?.postMessage({ code: error.code, message: error.message })
  }
})
