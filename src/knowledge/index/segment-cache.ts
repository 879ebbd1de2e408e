import type { SegmentHeader } from './segment.ts'
import { decodeHeader } from './segment-header.ts'
import type { BlockAddress, SegmentSource } from './segment-source.ts'

export interface CachedSegment {
  header: SegmentHeader
  /** What BM25 takes off for the length of each chunk, for the average length it was computed with. */
  norms: Float32Array
  normsFor: number
}

interface Kept {
  value: CachedSegment | Uint8Array
  size: number
}

/**
 * Keeps what searches read most, up to a number of bytes. Segments never change, so nothing in here can be out of
 * date; what was merged away is simply not asked for again.
 */
export class SegmentCache {
  readonly #source: SegmentSource
  readonly #maxBytes: number
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(source: SegmentSource, maxBytes: number) {
    this.#source = source
    this.#maxBytes = maxBytes
  }

  async headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, CachedSegment>> {
    const found = new Map<string, CachedSegment>()
    const missing: string[] = []
    for (const id of segmentIds) {
      const kept = this.#get(`${workspaceId}/${id}`)
      if (kept) found.set(id, kept as CachedSegment)
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

  #get(key: string): Kept['value'] | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.value
  }

  #put(key: string, value: Kept['value'], size: number): void {
    if (size > this.#maxBytes / 4 || this.#kept.has(key)) return
    this.#kept.set(key, { value, size })
    this.#bytes += size
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= kept.size
    }
  }
}
