import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../measurement.ts'
import { residentBytes, withServer } from '../server-process.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'idle-memory'

const target = 150

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const megabytesAfter = (milliseconds: number): Promise<number> =>
      withServer(join(folder, 'data'), async server => {
        await sleep(milliseconds)
        return (await residentBytes(server.pid)) / 1e6
      })
    // The first start ingests the demo's documents in threads that stay for a minute.
    const first = await megabytesAfter(10_000)
    const idle = await megabytesAfter(2000)
    return [
      {
        label: 'Memory of the idle server',
        ours: `${idle.toFixed(0)} MB`,
        target: `≤ ${target} MB`,
        met: idle <= target,
      },
      {
        label: '  ten seconds after the very first start, which reads the demo',
        ours: `${first.toFixed(0)} MB`,
      },
    ]
  })
