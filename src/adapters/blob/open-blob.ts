import { close, createReadStream, fstat, open, read } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteRange } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import { diskFailure, errorCodeOf } from './disk-failure.ts'

/** Measured over HTTP: 64 KiB 567 MiB/s, 256 KiB 982, 1 MiB 1,206; a slow client holds two or three of them. */
const chunkBytes = 256 << 10

const openDescriptor = promisify(open)
const describe = promisify(fstat)
const closeDescriptor = promisify(close)

type ReadDone = (error: unknown, bytes: number, buffer: NodeJS.ArrayBufferView) => void

/** The calls a stream makes, with failures that name the store instead of an errno. */
const calls = {
  read: (
    descriptor: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: ReadDone,
  ) =>
    read(descriptor, buffer, offset, length, position, (error, bytes, filled) =>
      done(error && diskFailure(error), bytes, filled),
    ),
  close,
}

const openOrFail = async (path: string): Promise<number> => {
  try {
    return await openDescriptor(path, 'r')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT')
      throw new AppError('content_damaged', 'The stored content is gone', { cause: error })
    throw diskFailure(error)
  }
}

/** Opened before this resolves: what is missing is an error to answer with, not a stream that breaks. */
export const openBlob = async (path: string, range?: ByteRange): Promise<Readable> => {
  const descriptor = await openOrFail(path)
  try {
    const { size } = await describe(descriptor)
    if (range && range.end >= size)
      throw new AppError('content_damaged', `The stored content ends after ${size} bytes`)
    const start = range?.start ?? 0
    // Knowing the end makes the buffers of small files small and saves the read that finds the end.
    const end = range?.end ?? (size > 0 ? size - 1 : undefined)
    return createReadStream('', { fd: descriptor, fs: calls, start, end, highWaterMark: chunkBytes })
  } catch (error) {
    await closeDescriptor(descriptor)
    throw diskFailure(error)
  }
}
