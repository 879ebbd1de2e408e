import { destination } from 'pino'

type LogDestination = ReturnType<typeof destination>

/** Lines that wait to be written; further ones are dropped. */
const maxWaitingBytes = 8 << 20

/** If the log cannot be written, for example on a full disk, the server continues without it until it can. */
export function openLogDestination(descriptor: number): LogDestination {
  const opened = destination({ dest: descriptor, sync: false, maxLength: maxWaitingBytes })
  let isFailing = false
  opened.on('error', () => {
    isFailing = true
  })
  opened.on('write', () => {
    isFailing = false
  })
  const flush = opened.flushSync.bind(opened)
  // Also called when the process exits, where it would retry forever.
  opened.flushSync = () => {
    if (!isFailing) flush()
  }
  return opened
}
