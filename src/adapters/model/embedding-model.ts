import { forEachConcurrently } from '../../kernel/for-each-concurrently.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { EmbeddingModel } from '../../models/embedding-model.ts'
import type { ModelCaller } from '../../models/model-caller.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { cutText, type EndpointLabels, type EndpointOptions, endpointLabels, timingOf } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'
import { LearnedValues } from './learned-values.ts'

const environmentLabels = endpointLabels('Embedding model', 'EMBEDDING')

/** No model reads more at once; the rest would be charged for or rejected. */
const maxTextCharacters = 24_000
const maxInputs = 64
const maxBatchCharacters = 100_000
const concurrentBatches = 3
/** A single text that is still too long is halved at most this many times. */
const maxHalvings = 6
const maxDimension = 65_536

const isRejection = (error: unknown): error is ModelFailure =>
  error instanceof ModelFailure && [400, 413, 422].includes(error.status ?? 0)

const saysTooLong = (failure: ModelFailure): boolean =>
  failure.status === 413 ||
  /too (long|large|many tokens)|context length|token limit|max\w*[ _](context|token|input|length)|exceed/i.test(
    failure.message,
  )

/** Splits texts, in order, into as few batches as possible. A text alone may exceed the limit. */
export function embeddingBatches(texts: string[], maxInputs: number): string[][] {
  const batches: string[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const open = batches.at(-1)
    characters += text.length
    if (open && open.length < maxInputs && characters <= maxBatchCharacters) open.push(text)
    else {
      batches.push([text])
      characters = text.length
    }
  }
  return batches
}

function prepare(text: string): string {
  if (text.trim() === '')
    throw new ModelFailure('An empty text cannot be embedded: leave it out', { retryable: false })
  return cutText(text, maxTextCharacters)
}

/** Without a total timeout, since ingestion can wait. */
const defaultTimeouts = {
  attemptMilliseconds: 60_000,
  totalMilliseconds: Number.POSITIVE_INFINITY,
  maxRetryAfterMilliseconds: 60_000,
}

interface Target extends ModelCaller {
  model: string
}

/** Any endpoint with OpenAI's embeddings API. */
export function createEmbeddingModel(options: EndpointOptions): EmbeddingModel {
  const { labels = environmentLabels } = options
  const client = new JsonClient(labels, defaultTimeouts, options)
  /** Inputs that a request may hold, where a provider has rejected more. */
  const learnedInputs = new LearnedValues<number>(timingOf(options).clock, options.exchange?.('inputs'))
  const keyOf = ({ model, workspaceId }: Target): string => `${workspaceId} ${model}`
  const maxInputsOf = (target: Target): number => learnedInputs.get(keyOf(target)) ?? maxInputs
  let shortened = 0

  async function inSequence(target: Target, batches: string[][]) {
    const vectors: Float32Array[] = []
    for (const batch of batches) vectors.push(...(await embedBatch(target, batch)))
    return vectors
  }

  async function embedBatch(target: Target, input: string[], halvings = 0): Promise<Float32Array[]> {
    if (input.length > maxInputsOf(target))
      return inSequence(target, embeddingBatches(input, maxInputsOf(target)))
    try {
      const body = { model: target.model, input, encoding_format: 'float', ...options.extraBody }
      return await client.post(
        'embeddings',
        body,
        response => readEmbeddings(response, input.length, labels),
        target,
      )
    } catch (error) {
      if (!isRejection(error)) throw error
      if (input.length === 1) {
        const text = input[0]!
        if (halvings === maxHalvings || text.length < 2 || !saysTooLong(error)) throw error
        shortened++
        // A vector of the beginning of a text is better than none.
        return embedBatch(target, [cutText(text, text.length >> 1)], halvings + 1)
      }
      // Too many inputs, too much text or one bad text: providers word these too differently to tell them apart.
      const shortenedBefore = shortened
      const half = Math.ceil(input.length / 2)
      const vectors = await inSequence(target, [input.slice(0, half), input.slice(half)])
      // Both halves were accepted unchanged, so their number was the reason; later requests need not learn it again.
      if (shortened === shortenedBefore) learnedInputs.set(keyOf(target), Math.min(half, maxInputsOf(target)))
      return vectors
    }
  }

  return {
    embed: async (model, texts, { workspaceId, signal }) => {
      const target = { model, workspaceId }
      const batches = embeddingBatches(texts.map(prepare), maxInputsOf(target))
      const found: Float32Array[][] = []
      const embed = async ([index, batch]: [number, string[]], either: AbortSignal): Promise<void> => {
        found[index] = await embedBatch({ ...target, signal: either }, batch)
      }
      await forEachConcurrently(concurrentBatches, batches.entries(), embed, signal)
      const vectors = found.flat()
      checkDimension(vectors, labels)
      return vectors
    },
  }
}

const malformed = (labels: EndpointLabels, problem: string): ModelFailure =>
  badResponse(labels, `sent a response in which ${problem}`)

/** Reads numbers from a list, or from base64 of 32-bit floats, which some servers send even if not requested. */
function numbersOf(embedding: unknown, labels: EndpointLabels): ArrayLike<number> {
  if (Array.isArray(embedding)) {
    if (!embedding.every(value => typeof value === 'number'))
      throw malformed(labels, 'a vector is not numeric')
    return embedding
  }
  if (typeof embedding !== 'string') throw malformed(labels, 'a vector is missing')
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) throw malformed(labels, 'a vector is truncated')
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

function unitVector(numbers: ArrayLike<number>, labels: EndpointLabels): Float32Array {
  if (numbers.length === 0 || numbers.length > maxDimension)
    throw malformed(labels, `a vector has ${numbers.length} numbers`)
  let sum = 0
  for (let index = 0; index < numbers.length; index++) sum += numbers[index]! ** 2
  if (!Number.isFinite(sum)) throw malformed(labels, 'a vector has numbers that are invalid or too large')
  if (sum === 0)
    throw new ModelFailure(`${labels.label}: the model returned a vector of zeros. Use another model.`, {
      retryable: false,
      status: 200,
    })
  const length = Math.sqrt(sum)
  return Float32Array.from(numbers, value => value / length)
}

/** Entries in the order of the inputs. Without any index they are taken to be in order already. */
function inOrder(entries: Record<string, unknown>[], labels: EndpointLabels): Record<string, unknown>[] {
  if (entries.every(entry => entry['index'] === undefined)) return entries
  const ordered: Record<string, unknown>[] = []
  for (const entry of entries) {
    const { index } = entry
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= entries.length)
      throw malformed(labels, 'a vector belongs to no text')
    if (ordered[index]) throw malformed(labels, 'two vectors belong to the same text')
    ordered[index] = entry
  }
  return ordered
}

/** The vectors of a response, of length 1, in the order of the inputs; a `ModelFailure` when some are missing. */
export function readEmbeddings(
  response: unknown,
  count: number,
  labels: EndpointLabels = environmentLabels,
): Float32Array[] {
  const data = isRecord(response) ? response['data'] : undefined
  if (!Array.isArray(data) || !data.every(isRecord)) throw malformed(labels, 'there are no vectors')
  if (data.length !== count) throw malformed(labels, `there are ${data.length} vectors for ${count} texts`)
  const vectors = inOrder(data, labels).map(entry =>
    unitVector(numbersOf(entry['embedding'], labels), labels),
  )
  checkDimension(vectors, labels)
  return vectors
}

/** Vectors of different dimensions cannot be compared. */
function checkDimension(vectors: Float32Array[], labels: EndpointLabels): void {
  const [first] = vectors
  if (vectors.some(vector => vector.length !== first?.length))
    throw malformed(labels, 'the vectors are not all of one dimension')
}
