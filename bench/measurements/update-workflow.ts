import { join } from 'node:path'
import { type Crowd, requestsPerSecond } from '../load.ts'
import { atLeast, type Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import type { InsertJob } from '../raw-sqlite-inserts.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { perSecond } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'update-workflow'

const crowd: Crowd = { asks: 'update', connections: 32, workflows: 1000 }

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const data = join(folder, 'data')
    await seedWorkflows(data, crowd.workflows)
    return withServer(data, async server => {
      await requestsPerSecond(server, 3000, crowd)
      const { ours, limit, ratio } = await sideBySide(
        11,
        () => requestsPerSecond(server, 1500, crowd),
        () =>
          runElsewhere<InsertJob, number>('raw-sqlite-inserts.ts', {
            path: join(folder, 'raw.db'),
            milliseconds: 1500,
          }),
      )
      return [
        {
          label: 'Durable updates, 32 clients, against raw SQLite inserts one by one',
          ours: perSecond(ours),
          limit: perSecond(limit),
          ...atLeast(ratio, 0.6),
        },
      ]
    })
  })
