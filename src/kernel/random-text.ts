import { randomFillSync } from 'node:crypto'

/** Random bytes for many texts: asking for those of each one costs ten times as much. */
const pool = Buffer.alloc(8192)
let used = pool.length

/** A text of so many random bytes that nobody can guess, for ids; no bytes are used twice. */
export function randomText(bytes: number, encoding: 'base64url' | 'hex' = 'base64url'): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString(encoding, used - bytes, used)
}
