import { parentPort, workerData } from 'node:worker_threads'
import { KeywordIndex, type KeywordPlace, type KeywordResult } from '../../knowledge/index/keyword-index.ts'
import { SegmentCache } from '../../knowledge/index/segment-cache.ts'
import type { SegmentEntry, SegmentSource } from '../../knowledge/index/segment-store.ts'
import type { QueryTerms } from '../../knowledge/text/query-terms.ts'

// The program of a thread that scores keyword searches, and the messages that it exchanges with the main thread. What
// it does not have in its cache it reads through the main thread, so it works alike with both databases.

export interface KeywordThreadSettings {
  cacheBytes: number
}

interface Call {
  workspaceId: string
  generationId: string
  segments: SegmentEntry[]
}

export interface KeywordCall extends Call {
  kind: 'search'
  terms: QueryTerms
  limit: number
  batchIds: ReadonlySet<string> | undefined
}

export interface MatchCall extends Call {
  kind: 'match'
  /** The places of the hits. As two lists they are copied in half the time. */
  segmentIds: string[]
  chunks: Uint32Array
  weights: ReadonlyMap<string, number>
}

/** Results of the calls. */
export interface Answers {
  search: KeywordResult
  match: number[] | undefined
}

type Method = keyof SegmentSource
export type ToThread =
  | ((KeywordCall | MatchCall) & { id: number })
  | { kind: 'read'; id: number; value: unknown }
  | { kind: 'refused'; id: number; message: string }
export type FromThread =
  | { kind: 'found'; id: number; result: Answers[keyof Answers] }
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

function answerOf(call: KeywordCall | MatchCall): Promise<Answers[keyof Answers]> {
  const { workspaceId, generationId, segments } = call
  if (call.kind === 'search')
    return index.search(workspaceId, generationId, call.terms, call.limit, call.batchIds, segments)
  const hits = call.segmentIds.map((segmentId, at): KeywordPlace => ({ segmentId, chunk: call.chunks[at]! }))
  return index.match(workspaceId, generationId, hits, call.weights, segments)
}

async function answer({ id, ...call }: (KeywordCall | MatchCall) & { id: number }): Promise<void> {
  try {
    send({ kind: 'found', id, result: await answerOf(call) })
  } catch (error) {
    send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'search' || message.kind === 'match') return void answer(message)
  const reading = reads.get(message.id)
  reads.delete(message.id)
  if (message.kind === 'read') reading?.resolve(message.value)
  else reading?.reject(new Error(message.message))
})
