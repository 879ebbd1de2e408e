import { join } from 'node:path'
import type { Row } from '../measurement.ts'
import { median } from '../median.ts'
import { startServer } from '../server-process.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'start'

const starts = 5
const target = 1500

/** Every start is a first start, which creates the database. */
async function startTime(folder: string, command?: string[]): Promise<number> {
  const times: number[] = []
  for (let start = 0; start < starts; start++) {
    const server = await startServer(join(folder, String(start)), {}, command)
    times.push(server.startMilliseconds)
    await server.stop()
  }
  return median(times)
}

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const direct = await startTime(join(folder, 'direct'))
    const byNpm = await startTime(join(folder, 'npm'), ['npm', '--silent', 'start'])
    return [
      {
        label: 'Start until /readyz answers 200',
        ours: milliseconds(direct),
        target: `≤ ${milliseconds(target)}`,
        met: direct <= target,
      },
      { label: 'The same by npm start', ours: milliseconds(byNpm) },
    ]
  })
