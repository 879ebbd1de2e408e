import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Lets the other threads of the process go first. Only Linux has thread priorities; elsewhere all are equal. */
export function lowerThreadPriority(niceness: number): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0) setPriority(thread, niceness)
  } catch {
    // All threads then have the same priority.
  }
}
