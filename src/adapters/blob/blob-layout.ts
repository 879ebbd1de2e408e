import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/** Lower-case hex: the same on file systems that ignore case. 128 random bits never meet twice. */
const keyPattern = /^[0-9a-f]{32}$/

export const mintKey = (): string => randomBytes(16).toString('hex')

export const isKey = (name: string): boolean => keyPattern.test(name)

/** Of the folders that blobs are spread over, by the first two characters of the key. */
export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

export interface BlobLayout {
  blobs: string
  temporary: string
  /** The folder a blob lies in: 256 of them, so that none grows long. */
  shardOf(key: string): string
  pathOf(key: string): string
  temporaryPath(name: string): string
}

/** Every path of the store is built here, and only from names that match the pattern. */
export const blobLayout = (folder: string): BlobLayout => {
  const blobs = join(folder, 'blobs')
  const temporary = join(folder, 'tmp')
  const checked = (key: string): string => {
    // Not for a client to see: keys come from our own rows, so this is a fault of ours.
    if (!isKey(key)) throw new Error('A blob key does not have the form of one')
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
