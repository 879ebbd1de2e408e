import { randomFillSync } from 'node:crypto'

/** Random bytes for many ids, because one system call per id costs ten times as much. */
const pool = Buffer.alloc(8192)
let used = pool.length

/** The given number of random bytes as text, for ids that cannot be guessed. No byte is used twice. */
export function randomText(bytes: number, encoding: 'base64url' | 'hex' = 'base64url'): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString(encoding, used - bytes, used)
}
