import type { ChunkAddress, ChunkStore, FoundChunk } from '../chunk-store.ts'
import { addressKey } from './fuse-scores.ts'

/** Reads the chunks of one search, each of them once: the first ones are read for feedback and again as results. */
export class ChunkReader {
  readonly #fetch: (addresses: ChunkAddress[]) => Promise<FoundChunk[]>
  /** Chunks that were read; undefined if deleted or disabled. */
  readonly #chunks = new Map<string, FoundChunk | undefined>()

  constructor(store: Pick<ChunkStore, 'fetch'>, workspaceId: string, generationId: string) {
    this.#fetch = addresses => store.fetch(workspaceId, generationId, addresses)
  }

  /** Returns chunks in the order of the addresses, without deleted and disabled ones. */
  async read(addresses: readonly ChunkAddress[]): Promise<FoundChunk[]> {
    const missing = addresses.filter(address => !this.#chunks.has(addressKey(address)))
    for (const address of missing) this.#chunks.set(addressKey(address), undefined)
    const fetched = missing.length === 0 ? [] : await this.#fetch(missing)
    for (const chunk of fetched) this.#chunks.set(addressKey(chunk), chunk)
    return addresses.flatMap(address => this.#chunks.get(addressKey(address)) ?? [])
  }
}
