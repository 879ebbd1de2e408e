import { parentPort, workerData } from 'node:worker_threads'
import { KeywordIndex, type KeywordResult } from '../../knowledge/index/keyword-index.ts'
import { SegmentCache } from '../../knowledge/index/segment-cache.ts'
import type { SegmentEntry, SegmentSource } from '../../knowledge/index/segment-store.ts'

// The program of a thread that scores keyword searches, and the messages that it exchanges with the main thread. What
// it does not have in its cache it reads through the main thread, so it works alike with both databases.

export interface KeywordThreadSettings {
  cacheBytes: number
}

export interface KeywordCall {
  workspaceId: string
  generationId: string
  terms: string[]
  limit: number
  batchIds: ReadonlySet<string> | undefined
  segments: SegmentEntry[]
}

type Method = keyof SegmentSource
export type ToThread =
  | ({ kind: 'search'; id: number } & KeywordCall)
  | { kind: 'read'; id: number; value: unknown }
  | { kind: 'refused'; id: number; message: string }
export type FromThread =
  | { kind: 'found'; id: number; result: KeywordResult }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'read'; id: number; method: Method; args: unknown[] }

const port = parentPort!
const send = (message: FromThread): void => port.postMessage(message)

const reads = new Map<number, PromiseWithResolvers<unknown>>()
let readCount = 0

function read<Key extends Method>(
  method: Key,
  ...args: Parameters<SegmentSource[Key]>
): ReturnType<SegmentSource[Key]> {
  const id = ++readCount
  const reading = Promise.withResolvers<unknown>()
  reads.set(id, reading)
  send({ kind: 'read', id, method, args })
  return reading.promise as ReturnType<SegmentSource[Key]>
}

const source: SegmentSource = {
  segments: (...args) => read('segments', ...args),
  headers: (...args) => read('headers', ...args),
  blocks: (...args) => read('blocks', ...args),
}
const { cacheBytes } = workerData as KeywordThreadSettings
const index = new KeywordIndex(source, new SegmentCache(source, cacheBytes))

async function search(id: number, call: KeywordCall): Promise<void> {
  const { workspaceId, generationId, terms, limit, batchIds, segments } = call
  try {
    const result = await index.search(workspaceId, generationId, terms, limit, batchIds, segments)
    send({ kind: 'found', id, result })
  } catch (error) {
    send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'search') return void search(message.id, message)
  const reading = reads.get(message.id)
  reads.delete(message.id)
  if (message.kind === 'read') reading?.resolve(message.value)
  else reading?.reject(new Error(message.message))
})
