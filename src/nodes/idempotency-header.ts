import { createHash } from 'node:crypto'

/** What fits into a header everywhere. */
const plainKey = /^[\x21-\x7e]{1,255}$/

/** A step's key as the value of a header: the id of a node, which is part of it, may hold any characters. */
export const idempotencyHeader = (key: string): string =>
  plainKey.test(key) ? key : createHash('sha256').update(key).digest('hex')
