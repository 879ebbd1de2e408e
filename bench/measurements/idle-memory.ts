import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../measurement.ts'
import { residentBytes, withServer } from '../server-process.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'idle-memory'

const target = 150

export const run = (): Promise<Row[]> =>
  withWorkFolder(folder =>
    withServer(join(folder, 'data'), async server => {
      await sleep(2000)
      const megabytes = (await residentBytes(server.pid)) / 1e6
      return [
        {
          what: 'Memory of the idle server',
          ours: `${megabytes.toFixed(0)} MB`,
          target: `≤ ${target} MB`,
          met: megabytes <= target,
        },
      ]
    }),
  )
