import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { randomText } from '../kernel/random-text.ts'

/** Another process holds the lease now, or the record was deleted: nothing done here counts any more. */
export class LeaseLost extends Error {}

function readSystemFile(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Distinguishes a process from all others that ever had its id: its start, in ticks since the named boot. Undefined when
 * there is no such process, when it has exited and its parent has not reaped it yet, and where the system is not Linux.
 */
function lifeOf(pid: number | string): string | undefined {
  // The process name before the state may contain anything, even brackets.
  const [state, ...fields] = readSystemFile(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  const start = fields[18]
  if (start === undefined || state === 'Z') return undefined
  return `${start}.${readSystemFile('/proc/sys/kernel/random/boot_id').slice(0, 8)}`
}

const host = encodeURIComponent(hostname())
/** Only the form with a dot can be looked up by other processes. */
const life = lifeOf(process.pid) ?? randomText(6)

/** Identifies this process in its leases, so that another one can check later whether it still exists. */
export const processName = `${host}/${process.pid}/${life}`

/** The name of a new lease. It is the fencing token as well: no other claim ever has it. */
export const newLease = (): string => `${processName}/${randomText(12)}`

/** Undefined for a process of another machine. */
function readName(name: string): { pid: string; life: string } | undefined {
  const [theirHost, pid, theirLife] = name.split('/')
  return theirHost === host && pid !== undefined && theirLife !== undefined
    ? { pid, life: theirLife }
    : undefined
}

/**
 * Whether the process that holds a lease has certainly exited. False for processes of other machines, where this cannot
 * be known.
 */
export function hasEnded(name: string): boolean {
  const holder = readName(name)
  if (!holder) return false
  if (Number(holder.pid) === process.pid) return holder.life !== life
  if (holder.life.includes('.')) return lifeOf(holder.pid) !== holder.life
  try {
    process.kill(Number(holder.pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * Whether another process of this machine, which certainly still exists, holds a lease. Its work must not be taken over
 * however late it renews the lease: the clock may have been set, or the whole machine suspended.
 */
export function isHeldByNeighbour(name: string): boolean {
  const holder = readName(name)
  return (
    holder !== undefined &&
    Number(holder.pid) !== process.pid &&
    holder.life.includes('.') &&
    lifeOf(holder.pid) === holder.life
  )
}
