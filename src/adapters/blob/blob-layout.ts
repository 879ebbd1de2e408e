import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/** Lower-case hex, which is safe on case-insensitive file systems; 128 random bits do not collide. */
const keyPattern = /^[0-9a-f]{32}$/

export const mintKey = (): string => randomBytes(16).toString('hex')

export const isKey = (name: string): boolean => keyPattern.test(name)

/** A shard directory: the first two characters of the keys in it. */
export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

export interface BlobLayout {
  blobs: string
  temporary: string
  /** The directory of a blob; there are 256, so that none gets too large. */
  shardOf(key: string): string
  pathOf(key: string): string
  temporaryPath(name: string): string
}

/** Builds every path of the store, only from valid keys. */
export const blobLayout = (folder: string): BlobLayout => {
  const blobs = join(folder, 'blobs')
  const temporary = join(folder, 'tmp')
  const checked = (key: string): string => {
    // Keys come from our own rows, so this is a bug and not an error of the client.
    if (!isKey(key)) throw new Error('Invalid blob key')
    return key
  }
  const shardOf = (key: string) => join(blobs, checked(key).slice(0, 2))
  return {
    blobs,
    temporary,
    shardOf,
    pathOf: key => join(shardOf(key), key),
    temporaryPath: name => join(temporary, checked(name)),
  }
}
