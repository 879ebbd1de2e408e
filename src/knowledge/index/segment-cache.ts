import { decodeHeader, type SegmentHeader } from './segment.ts'
import type { BlockAddress, SegmentSource } from './segment-store.ts'

export interface CachedSegment {
  header: SegmentHeader
  /** The BM25 length normalisation of each chunk, for the average length in `normsFor`. */
  norms: Float32Array
  normsFor: number
}

interface CacheEntry {
  value: CachedSegment | Uint8Array
  size: number
}

/** An LRU cache of headers and blocks. Segments are immutable, so entries never become stale. */
export class SegmentCache {
  readonly #source: SegmentSource
  readonly #maxBytes: number
  /** Least recently used first. */
  readonly #entries = new Map<string, CacheEntry>()
  #bytes = 0

  constructor(source: SegmentSource, maxBytes: number) {
    this.#source = source
    this.#maxBytes = maxBytes
  }

  async headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, CachedSegment>> {
    const found = new Map<string, CachedSegment>()
    const missing: string[] = []
    for (const id of segmentIds) {
      const entry = this.#get(`${workspaceId}/${id}`)
      if (entry) found.set(id, entry as CachedSegment)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    for (const [id, bytes] of await this.#source.headers(workspaceId, missing)) {
      const header = decodeHeader(bytes)
      const segment = { header, norms: new Float32Array(header.lengths.length), normsFor: -1 }
      found.set(id, segment)
      this.#put(
        `${workspaceId}/${id}`,
        segment,
        bytes.length * 2 + header.lengths.length * 8 + header.ranges.length * 100,
      )
    }
    return found
  }

  async blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]> {
    const keys = addresses.map(address => `${workspaceId}/${address.segmentId}/${address.ordinal}`)
    const found = keys.map(key => this.#get(key) as Uint8Array | undefined)
    const missing = addresses.flatMap((address, index) => (found[index] ? [] : [{ address, index }]))
    if (missing.length === 0) return found
    const read = await this.#source.blocks(
      workspaceId,
      missing.map(({ address }) => address),
    )
    for (const [at, { index }] of missing.entries()) {
      const block = read[at]
      if (!block) continue
      found[index] = block
      this.#put(keys[index]!, block, block.length + 200)
    }
    return found
  }

  #get(key: string): CacheEntry['value'] | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  #put(key: string, value: CacheEntry['value'], size: number): void {
    if (size > this.#maxBytes / 4 || this.#entries.has(key)) return
    this.#entries.set(key, { value, size })
    this.#bytes += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= entry.size
    }
  }
}
