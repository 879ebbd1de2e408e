import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const lowest = 19

/** Lets the other threads of the process go first. Only Linux has thread priorities; elsewhere all are equal. */
export function lowerThreadPriority(steps: number): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0) setPriority(thread, Math.min(lowest, getPriority(thread) + steps))
  } catch {
    // All threads then have the same priority.
  }
}
