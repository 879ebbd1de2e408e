import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { takeJob } from './other-process.ts'

export interface CopyJob {
  from: string
  to: string
}

/** The bare limit of an upload: a file copied through a checksum and synced. Returns the seconds. */
takeJob(async ({ from, to }: CopyJob): Promise<number> => {
  const begun = performance.now()
  const hash = createHash('sha256')
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), hashing, createWriteStream(to))
  const file = await open(to, 'r+')
  await file.sync()
  await file.close()
  hash.digest('hex')
  const seconds = (performance.now() - begun) / 1000
  await unlink(to)
  return seconds
})
