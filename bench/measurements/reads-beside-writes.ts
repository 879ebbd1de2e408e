import { join } from 'node:path'
import { type Crowd, load } from '../load.ts'
import type { Row } from '../measurement.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'reads-beside-writes'

const workflows = 1000
const readers: Crowd = { asks: 'get', connections: 8, workflows }
const writers: Crowd = { asks: 'update', connections: 32, workflows }

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const data = join(folder, 'data')
    await seedWorkflows(data, workflows)
    return withServer(data, async server => {
      const p99 = async (...crowds: Crowd[]): Promise<number> =>
        (await load(server, 3000, ...crowds))[0]!.p99Milliseconds
      await p99(readers, writers)
      const { ours, limit, ratio } = await sideBySide(
        5,
        () => p99(readers, writers),
        () => p99(readers),
      )
      return [
        {
          label: 'GET by 8 readers, 99th percentile: beside 32 writers, against alone',
          ours: milliseconds(ours),
          limit: milliseconds(limit),
          ratio,
        },
      ]
    })
  })
