import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { AppError } from '../kernel/app-error.ts'

const damaged = (what: string) => new AppError('content_damaged', `The stored content is damaged: ${what}`)

/**
 * Passes the content through, but holds back the last chunk until the checksum is verified. A client that knows the
 * length therefore never receives a complete but damaged response: the stream fails with `content_damaged` before its
 * end, and a file of one chunk before its first byte.
 */
export const verifiedContent = (content: Readable, sha256: string, size: number): Readable => {
  const hash = createHash('sha256')
  let seen = 0
  let held: Buffer | undefined

  const verify = (): AppError | undefined => {
    if (seen !== size) return damaged(`${seen} bytes instead of ${size}`)
    return hash.digest('hex') === sha256 ? undefined : damaged('wrong checksum')
  }

  const verified = new Transform({
    // Room for one chunk of the store on either side, so that hashing and reading overlap.
    highWaterMark: 512 << 10,
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > size) return done(damaged(`more than ${size} bytes`))
      hash.update(chunk)
      const previous = held
      held = chunk
      done(null, previous)
    },
    flush(done) {
      const failure = verify()
      if (failure) done(failure)
      else done(null, held)
    },
  })
  // The callback has nothing to do: pipeline destroys both ends, and the reader sees the error.
  return pipeline(content, verified, () => {})
}
