import type { FileHandle } from 'node:fs/promises'
import { damagedArchive } from './backup-error.ts'

const chunkBytes = 256 << 10

/**
 * Reads a part of a file. Not through `createReadStream` of the handle, which leaves a listener behind on
 * it each time: an archive has as many parts as there are files.
 */
export async function* readRange(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    // A fresh buffer each time: whoever gets it may keep it.
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size - done))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done)
    if (bytesRead === 0) throw damagedArchive('it ends too early')
    done += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
