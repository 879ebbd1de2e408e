import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../contract/limits.ts'

const visible = new RegExp(`^[\\x21-\\x7e]{1,${limits.traceIdLength}}$`)
const traceParent = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/** Unique among all processes, and cheap: a trace id need not be unguessable. */
const processId = randomBytes(10).toString('hex')
let count = 0
const mintTraceId = (): string => `${processId}${(count++).toString(16).padStart(12, '0')}`

/** The caller's own id where it is usable, else that of its trace, else a fresh one. */
export function traceIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-traceid']
  if (typeof sent === 'string' && visible.test(sent)) return sent
  const parent = headers['traceparent']
  if (typeof parent === 'string') {
    const id = traceParent.exec(parent)?.[1]
    if (id) return id
  }
  return mintTraceId()
}
