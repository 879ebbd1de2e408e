// Preloaded into a server (`--import`): how long its main thread was busy between two turns of the event loop.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

export interface LoopReport {
  /** Milliseconds of CPU time in the longest turn: not affected by other processes. */
  cpu: number
  /** Milliseconds that the longest turn took. */
  wall: number
}

const cpuNow = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

if (isMainThread && process.env['LOOP_PROBE_FILE']) {
  const longest: LoopReport = { cpu: 0, wall: 0 }
  let cpu = cpuNow()
  let wall = performance.now()
  setInterval(() => {
    const [cpuBefore, wallBefore] = [cpu, wall]
    cpu = cpuNow()
    wall = performance.now()
    longest.cpu = Math.max(longest.cpu, cpu - cpuBefore)
    longest.wall = Math.max(longest.wall, wall - wallBefore)
  }, 1).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(process.env['LOOP_PROBE_FILE']!, JSON.stringify(longest))
    longest.cpu = 0
    longest.wall = 0
  })
}
