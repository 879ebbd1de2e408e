import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A fault that is injected into one call. */
export type Fault =
  | 'hang' // accepts the request and never responds
  | 'drop' // closes the connection without a response
  | 'cut' // closes the connection in the middle of the body
  | 'garbage'
  | 'html'
  | 'error_in_200'
  | 'wrong_count'
  | 'wrong_dimension'
  | 'not_a_number'
  | 'zero'
  | 'duplicate_index'
  | 'shuffled' // correct, but in another order
  | 'base64' // correct, in the other encoding
  | 'bom' // correct, after a byte order mark
  | 'logits' // correct, with scores outside 0 to 1
  | { status: number; headers?: Record<string, string>; message?: string; code?: string | number }
  | { slowMilliseconds: number }
  | { until: Promise<unknown> }

export interface ProviderCall {
  route: 'embeddings' | 'rerank'
  model: string
  inputs: string[]
  query: string
  headers: IncomingHttpHeaders
}

const hash = (gram: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < gram.length; index++)
    value = Math.imul(value ^ gram.charCodeAt(index), 0x01000193) >>> 0
  // The low bits of this hash are poor, so the high ones are folded in.
  return (value ^ (value >>> 15)) >>> 0
}

/** Counts of single characters and pairs, hashed into a few dimensions: texts that share many of them are near. */
export function scriptedEmbedding(source: string, dimension = 64): number[] {
  const vector = new Array<number>(dimension).fill(0)
  const characters = [...source.toLowerCase()]
  for (const [index, character] of characters.entries())
    for (const gram of [character, character + (characters[index + 1] ?? '')]) {
      const value = hash(gram)
      vector[value % dimension]! += value & 0x10000 ? 1 : -1
    }
  const length = Math.hypot(...vector) || 1
  return vector.map(value => value / length)
}

const likeness = (one: number[], other: number[]): number =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0)

const toBase64 = (vector: number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64')

function embeddings(inputs: string[], dimension: number, fault: Fault | undefined): object {
  const data: { object: string; index: number; embedding: unknown }[] = inputs.map((input, index) => {
    const vector = scriptedEmbedding(input, dimension)
    return { object: 'embedding', index, embedding: fault === 'base64' ? toBase64(vector) : vector }
  })
  const last = data.at(-1)
  if (fault === 'wrong_count') data.pop()
  if (fault === 'shuffled') data.reverse()
  if (last && fault === 'wrong_dimension') last.embedding = (last.embedding as number[]).slice(1)
  if (last && fault === 'not_a_number') last.embedding = (last.embedding as number[]).map(() => null)
  if (last && fault === 'zero') last.embedding = (last.embedding as number[]).map(() => 0)
  if (last && fault === 'duplicate_index') last.index = 0
  return { object: 'list', data, usage: { prompt_tokens: inputs.length, total_tokens: inputs.length } }
}

function ranking(query: string, documents: string[], fault: Fault | undefined): object {
  const asked = scriptedEmbedding(query)
  const results: { index: number; relevance_score: number | null }[] = documents.map((document, index) => {
    const score = likeness(asked, scriptedEmbedding(document))
    return { index, relevance_score: fault === 'logits' ? score * 10 - 2 : (score + 1) / 2 }
  })
  results.sort((one, other) => other.relevance_score! - one.relevance_score!)
  if (fault === 'wrong_count') results.pop()
  if (fault === 'shuffled') results.reverse()
  if (fault === 'not_a_number') results[0]!.relevance_score = null
  if (fault === 'duplicate_index') for (const result of results) result.index = 0
  return { results }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds).unref())

/** Responds in place of the provider, if the fault allows no proper response. */
function spoil(response: ServerResponse, fault: Fault | undefined): boolean {
  const send = (status: number, type: string, body: string): boolean => {
    response.writeHead(status, { 'content-type': type }).end(body)
    return true
  }
  if (fault === 'hang') return true
  if (fault === 'drop') return Boolean(response.destroy())
  if (fault === 'garbage') return send(200, 'application/json', '{"data":[{"embedding":[0.1,')
  if (fault === 'html') return send(200, 'text/html', '<!doctype html><title>Sign in</title>')
  if (fault === 'error_in_200')
    return send(200, 'application/json', '{"error":{"message":"the model is being loaded"}}')
  if (fault === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"data":[', () => response.destroy())
    return true
  }
  if (typeof fault !== 'object' || !('status' in fault)) return false
  for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value)
  const error = { message: fault.message ?? `scripted ${fault.status}`, code: fault.code ?? null }
  return send(fault.status, 'application/json', JSON.stringify({ error }))
}

export interface ScriptedProvider {
  baseUrl: string
  calls: ProviderCall[]
  /** Injects faults into the next calls, in order. `undefined` is a call that succeeds. */
  play(...faults: (Fault | undefined)[]): void
  /** Decides on every call after the queue is empty. */
  decide(rule: (call: ProviderCall) => Fault | undefined): void
  /** Returns vectors of this length from now on. */
  resize(dimension: number): void
  close(): Promise<void>
}

/** A model provider on loopback: deterministic embeddings and ranking, and injected faults. */
export async function startScriptedProvider(given = { dimension: 64 }): Promise<ScriptedProvider> {
  let { dimension } = given
  const calls: ProviderCall[] = []
  const queue: (Fault | undefined)[] = []
  let rule: (call: ProviderCall) => Fault | undefined = () => undefined
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as Record<string, string | string[]>
    const route = request.url?.endsWith('/rerank') ? 'rerank' : 'embeddings'
    const inputs = [(route === 'rerank' ? body['documents'] : body['input']) ?? []].flat()
    const query = String(body['query'] ?? '')
    const call: ProviderCall = {
      route,
      model: String(body['model']),
      inputs,
      query,
      headers: request.headers,
    }
    calls.push(call)
    const fault = queue.length > 0 ? queue.shift() : rule(call)
    if (spoil(response, fault)) return
    if (typeof fault === 'object' && 'slowMilliseconds' in fault) await pause(fault.slowMilliseconds)
    if (typeof fault === 'object' && 'until' in fault) await fault.until
    const answer = route === 'rerank' ? ranking(query, inputs, fault) : embeddings(inputs, dimension, fault)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end((fault === 'bom' ? '\ufeff' : '') + JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    play: (...faults) => void queue.push(...faults),
    decide: next => {
      rule = next
    },
    resize: next => {
      dimension = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
