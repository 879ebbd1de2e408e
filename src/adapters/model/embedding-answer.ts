import { ModelFailure } from '../../models/model-failure.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxDimension = 65_536

const malformed = (what: string): ModelFailure =>
  new ModelFailure(
    `The embedding endpoint answered 200, but ${what}: check EMBEDDING_BASE_URL and the model behind it`,
    { retryable: true, status: 200 },
  )

/** Numbers as a list, or as the base64 of 32-bit floats, which some servers send whatever was asked for. */
function numbersOf(embedding: unknown): ArrayLike<number> {
  if (Array.isArray(embedding)) {
    if (!embedding.every(value => typeof value === 'number')) throw malformed('a vector holds no numbers')
    return embedding
  }
  if (typeof embedding !== 'string') throw malformed('a vector is missing')
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) throw malformed('a vector is cut off')
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

function unitVector(numbers: ArrayLike<number>): Float32Array {
  if (numbers.length === 0 || numbers.length > maxDimension)
    throw malformed(`a vector has ${numbers.length} numbers`)
  let sum = 0
  for (let index = 0; index < numbers.length; index++) sum += numbers[index]! ** 2
  if (!Number.isFinite(sum)) throw malformed('a vector holds numbers that are none, or too large')
  if (sum === 0)
    throw new ModelFailure(
      'The embedding model gave a text no direction (a vector of zeros): use another model',
      {
        retryable: false,
        status: 200,
      },
    )
  const length = Math.sqrt(sum)
  return Float32Array.from(numbers, value => value / length)
}

/** Entries in the order of the inputs. Without any index they are taken to be in order already. */
function inOrder(entries: Record<string, unknown>[]): Record<string, unknown>[] {
  if (entries.every(entry => entry['index'] === undefined)) return entries
  const ordered: Record<string, unknown>[] = []
  for (const entry of entries) {
    const { index } = entry
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= entries.length)
      throw malformed('a vector belongs to no text')
    if (ordered[index]) throw malformed('two vectors belong to the same text')
    ordered[index] = entry
  }
  return ordered
}

/** The vectors of an answer, of length 1, in the order of the inputs; a `ModelFailure` when they are not all there. */
export function readEmbeddings(answer: unknown, count: number): Float32Array[] {
  const data = isRecord(answer) ? answer['data'] : undefined
  if (!Array.isArray(data) || !data.every(isRecord)) throw malformed('there are no vectors in it')
  if (data.length !== count) throw malformed(`it has ${data.length} vectors for ${count} texts`)
  const vectors = inOrder(data).map(entry => unitVector(numbersOf(entry['embedding'])))
  checkDimension(vectors)
  return vectors
}

/** Vectors of different lengths cannot be compared, so they are worth nothing. */
export function checkDimension(vectors: Float32Array[]): void {
  const [first] = vectors
  if (vectors.some(vector => vector.length !== first?.length))
    throw malformed('its vectors are not all of one dimension')
}
