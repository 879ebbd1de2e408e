import { destination } from 'pino'

type LogDestination = ReturnType<typeof destination>

/** Lines that wait to be written; further ones are dropped. */
const maxWaitingBytes = 8 << 20

/**
 * Where the log is written, by file descriptor. Where it cannot be, such as on a full disk, the server goes on without it,
 * and writes the log again as soon as that succeeds.
 */
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
  // Also called when the process exits, where it would try again for ever.
  opened.flushSync = () => {
    if (!isFailing) flush()
  }
  return opened
}
