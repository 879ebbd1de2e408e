import { AppError } from '../kernel/app-error.ts'
import { LeastRecentMap } from '../kernel/least-recent-map.ts'
import type { BlobStore } from './blob-store.ts'
import { verifiedContent } from './verified-content.ts'

export interface BlobContent {
  key: string
  sha256: string
  size: number
}

const maxRemembered = 10_000

/** Reads the whole content and fails with `content_damaged` if it is not what was stored. */
export async function verifyBlob(
  blobs: Pick<BlobStore, 'read'>,
  { key, sha256, size }: BlobContent,
  pace?: (bytes: number) => Promise<void>,
): Promise<void> {
  for await (const chunk of verifiedContent(await blobs.read(key), sha256, size))
    await pace?.((chunk as Uint8Array).length)
}

/** Remembers which blobs were verified, so that a part of a blob can be served without reading all of it again. */
export class VerifiedBlobs {
  readonly #blobs: Pick<BlobStore, 'read' | 'tagOf'>
  readonly #tags = new LeastRecentMap<string, string>(maxRemembered)
  readonly #running = new Map<string, Promise<void>>()

  constructor(blobs: Pick<BlobStore, 'read' | 'tagOf'>) {
    this.#blobs = blobs
  }

  /** Verifies the blob unless it is unchanged since the last time. */
  async ensure(content: BlobContent): Promise<void> {
    const { key } = content
    const tag = await this.#blobs.tagOf(key)
    if (tag === undefined)
      throw new AppError('content_damaged', 'The content of the file is missing; restore it from a backup')
    if (this.#tags.get(key) === tag) return
    let running = this.#running.get(key)
    if (!running) {
      running = verifyBlob(this.#blobs, content).finally(() => this.#running.delete(key))
      this.#running.set(key, running)
    }
    await running
    this.#tags.set(key, tag)
  }
}
