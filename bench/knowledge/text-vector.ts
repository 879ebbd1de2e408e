import { createRandom } from './random.ts'
import { type Language, vocabularies } from './vocabulary.ts'

export const dimension = 384
/** The distance between two texts with the same topic words. */
const noise = 0.6
/** Topics of one field are closer to each other than to others, and no two texts are completely unlike. */
const topicsPerField = 25
const fieldWeight = 0.6
const commonWeight = 0.8
const longestName = 4

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

function randomDirection(seed: number): Float32Array {
  const random = createRandom(seed)
  // The sum of three uniform draws is close enough to a normal distribution.
  return Float32Array.from({ length: dimension }, () => random() + random() + random() - 1.5)
}

const common = randomDirection(hashOf('common'))
const directions = new Map<string, Float32Array>()
for (const language of ['zh', 'en'] satisfies Language[])
  for (const [number, topic] of vocabularies[language].topics.entries()) {
    const shared = randomDirection(hashOf(`topic ${language} ${number}`))
    add(shared, randomDirection(hashOf(`field ${Math.floor(number / topicsPerField)}`)), fieldWeight)
    add(shared, common, commonWeight)
    for (const word of topic) {
      const direction = randomDirection(hashOf(word))
      add(direction, shared)
      directions.set(word, direction)
    }
  }

function add(sum: Float32Array, direction: Float32Array | undefined, weight = 1): void {
  if (direction) for (let at = 0; at < dimension; at++) sum[at]! += direction[at]! * weight
}

function lengthOf(vector: Float32Array): number {
  let sum = 0
  for (const value of vector) sum += value * value
  return Math.sqrt(sum)
}

/**
 * Replaces an embedding model: texts about the same things are near each other. The vector of a text is the sum of the
 * directions of its topic words plus some noise of its own; it has length 1. The weights above are chosen, not fitted to a
 * model, and recall depends on them: topics that share no direction at all are much harder for a graph.
 */
export function textVector(text: string): Float32Array {
  const vector = common.slice()
  for (const [word] of text.matchAll(/[a-z]+/g)) add(vector, directions.get(word))
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0x3000) continue
    for (let length = 2; length <= longestName; length++)
      add(vector, directions.get(text.slice(at, at + length)))
  }
  const own = randomDirection(hashOf(text))
  add(vector, own, (noise * (lengthOf(vector) || 1)) / lengthOf(own))
  const length = lengthOf(vector)
  return vector.map(value => value / length)
}
