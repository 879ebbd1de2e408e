import { LruMap } from '../../kernel/lru-map.ts'
import { decodeHeader, type SegmentHeader } from './segment.ts'
import type { BlockAddress, SegmentSource } from './segment-store.ts'

export interface CachedSegment {
  header: SegmentHeader
  /** The BM25 length normalisation of each chunk, for the average length in `normsFor`. */
  norms: Float32Array
  /** The share of its weight that a term gets if it occurs once, as most terms do. */
  shares: Float32Array
  normsFor: number
}

const sizeOf = (value: CachedSegment | Uint8Array): number => {
  if (value instanceof Uint8Array) return value.length + 200
  const { lengths, ranges, firstTerms } = value.header
  return lengths.length * 16 + ranges.length * 150 + firstTerms.length * 100
}

/** Headers and blocks of segments. Segments are immutable, so entries never become stale. */
export class SegmentCache {
  readonly #source: SegmentSource
  readonly #maxBytes: number
  readonly #entries: LruMap<string, CachedSegment | Uint8Array>

  constructor(source: SegmentSource, maxBytes: number) {
    this.#source = source
    this.#maxBytes = maxBytes
    this.#entries = new LruMap(maxBytes, sizeOf)
  }

  async headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, CachedSegment>> {
    const found = new Map<string, CachedSegment>()
    const missing: string[] = []
    for (const id of segmentIds) {
      const cached = this.#entries.get(`${workspaceId}/${id}`)
      if (cached) found.set(id, cached as CachedSegment)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    for (const [id, bytes] of await this.#source.headers(workspaceId, missing)) {
      const header = decodeHeader(bytes)
      const { length } = header.lengths
      const [norms, shares] = [new Float32Array(length), new Float32Array(length)]
      const segment = { header, norms, shares, normsFor: -1 }
      found.set(id, segment)
      this.#put(`${workspaceId}/${id}`, segment)
    }
    return found
  }

  async blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]> {
    const keys = addresses.map(address => `${workspaceId}/${address.segmentId}/${address.ordinal}`)
    const found = keys.map(key => this.#entries.get(key) as Uint8Array | undefined)
    const missing = [...addresses.keys()].filter(index => !found[index])
    if (missing.length === 0) return found
    const read = await this.#source.blocks(
      workspaceId,
      missing.map(index => addresses[index]!),
    )
    for (const [at, index] of missing.entries()) {
      found[index] = read[at]
      if (read[at]) this.#put(keys[index]!, read[at])
    }
    return found
  }

  /** An entry larger than a quarter of the cache would evict too many others. */
  #put(key: string, value: CachedSegment | Uint8Array): void {
    if (sizeOf(value) <= this.#maxBytes / 4) this.#entries.set(key, value)
  }
}
