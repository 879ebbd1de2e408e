import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const life = randomBytes(6).toString('base64url')
const host = encodeURIComponent(hostname())

/** Names this run of this process, so that another one can tell later whether it is still there. */
export const processName = (): string => `${host}/${process.pid}/${life}`

/** It has ended, but whoever started it has not looked yet. Known on Linux only. */
function isZombie(pid: string): boolean {
  try {
    // The name before the state may hold anything, also brackets.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/**
 * Whether the process of that name has surely ended. Only for processes of this machine: elsewhere, and where a
 * number was given out again, nobody can tell, and the answer is false.
 */
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
