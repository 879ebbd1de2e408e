import { AppError } from '../kernel/app-error.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import type { BlobStore } from './blob-store.ts'
import type { ScrubStore, StoredBlob } from './scrubber.ts'
import { verifiedContent } from './verified-blobs.ts'

interface CopyParts {
  rows: Pick<ScrubStore, 'after'>
  from: BlobStore
  to: BlobStore
}

export interface CopiedBlobs {
  copied: { count: number; bytes: number }
  /** Copied by an earlier call. */
  present: number
  /** Keys of contents that are damaged or missing in `from`, and were left out. */
  damaged: string[]
}

const copiesAtOnce = 8

async function* blobsOf(rows: CopyParts['rows']): AsyncGenerator<StoredBlob> {
  for (let batch = await rows.after(''); batch.length > 0; batch = await rows.after(batch.at(-1)!.key))
    yield* batch
}

/** Content gets its key in the other store only after it is verified, so a blob with its key is complete. */
async function copyBlob({ from, to }: CopyParts, { key, sha256, size }: StoredBlob): Promise<void> {
  const written = await to.write(verifiedContent(await from.read(key), sha256, size), size)
  await to.replace(key, written.key)
  await to.remove(written.key)
}

/** Copies every content that a row names, under the same key. An interrupted copy can be continued. */
export async function copyBlobs(
  parts: CopyParts,
  signal: AbortSignal,
  onProgress: (result: CopiedBlobs) => void = () => {},
): Promise<CopiedBlobs> {
  const result: CopiedBlobs = { copied: { count: 0, bytes: 0 }, present: 0, damaged: [] }
  await forEachConcurrently(copiesAtOnce, blobsOf(parts.rows), async blob => {
    signal.throwIfAborted()
    if ((await parts.to.tagOf(blob.key)) !== undefined) {
      result.present++
      return
    }
    try {
      await copyBlob(parts, blob)
      result.copied.count++
      result.copied.bytes += blob.size
    } catch (error) {
      if (!(error instanceof AppError && error.reason === 'content_damaged')) throw error
      result.damaged.push(blob.key)
    }
    onProgress(result)
  })
  return result
}
