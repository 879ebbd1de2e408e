import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { GenerationIndexes } from './generation-indexes.ts'
import type { UsearchAnswer, UsearchRequest, UsearchSettings } from './usearch-protocol.ts'

/** Requests are answered by the main thread: this one gives way to it. Only Linux has threads with priorities. */
function yieldToMainThread(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread)) setPriority(thread, 3)
  } catch {
    // Then they are equals.
  }
}

async function answer(indexes: GenerationIndexes, request: UsearchRequest): Promise<UsearchAnswer> {
  const { number } = request
  try {
    if (request.kind === 'search') return { number, hits: await indexes.search(request) }
    if (request.kind === 'refresh') indexes.refresh(request.workspaceId, request.generationId)
    else if (request.kind === 'tidy') indexes.tidy()
    else await indexes.close()
    return { number, hits: [] }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { number, failure: { message, stack } }
  }
}

yieldToMainThread()
const port = parentPort!
const indexes = new GenerationIndexes(workerData as UsearchSettings)
port.on('message', async (request: UsearchRequest) => {
  port.postMessage(await answer(indexes, request))
  if (request.kind === 'close') port.close()
})
