import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const life = randomBytes(6).toString('base64url')
const host = encodeURIComponent(hostname())

/** Another process holds the lease now, or the record was deleted: nothing done here counts any more. */
export class LeaseLost extends Error {}

/** Identifies this process in its leases, so that another one can check later whether it still exists. */
export const processName = (): string => `${host}/${process.pid}/${life}`

/** The process has exited, but its parent has not reaped it yet. Known on Linux only. */
function isZombie(pid: string): boolean {
  try {
    // The name before the state may hold anything, also brackets.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Whether the holder has certainly exited; false where that cannot be known: other machines, reused process ids. */
export function hasEnded(name: string): boolean {
  const [theirHost, pid, theirLife] = name.split('/')
  if (theirHost !== host || pid === undefined || theirLife === undefined) return false
  if (Number(pid) === process.pid) return theirLife !== life
  try {
    process.kill(Number(pid), 0)
    return isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
