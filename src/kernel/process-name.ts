import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const life = randomBytes(6).toString('base64url')
const host = encodeURIComponent(hostname())

/** Names this run of this process, so that another one can tell later whether it is still there. */
export const processName = (): string => `${host}/${process.pid}/${life}`

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
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
