import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const sampleMilliseconds = 500
/** An idle server uses less processor time than this; ticks are hundredths of a second. */
const maxTicks = 5
const samples = 4

async function ticksOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** Waits until no background work is left: indexes are built and merged after a document is ready. */
export async function untilIdle(pid: number): Promise<void> {
  let before = await ticksOf(pid)
  for (let quiet = 0; quiet < samples; ) {
    await sleep(sampleMilliseconds)
    const now = await ticksOf(pid)
    quiet = now - before <= maxTicks ? quiet + 1 : 0
    before = now
  }
}
