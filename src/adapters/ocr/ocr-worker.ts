import { parentPort } from 'node:worker_threads'
import ocrNode from '@gutenye/ocr-node'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import { textOfLines } from './text-of-lines.ts'

// The program of the thread that runs the local OCR models.

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

lowerThreadPriority(19)

const opening = ocrNode.create()

port.on('message', async (jpeg: Uint8Array) => {
  try {
    const ocr = await opening
    port.postMessage({ text: textOfLines(await ocr.detect(Buffer.from(jpeg))) })
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
