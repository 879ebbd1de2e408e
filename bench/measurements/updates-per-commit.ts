import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Crowd, load } from '../load.ts'
import type { Row } from '../measurement.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { startServer } from '../server-process.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'updates-per-commit'

const crowd: Crowd = { asks: 'update', connections: 32, workflows: 1000 }

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const data = join(folder, 'data')
    const countFile = join(folder, 'syncs')
    await seedWorkflows(data, crowd.workflows)
    const server = await startServer(data, { SYNC_COUNT_FILE: countFile }, [
      process.execPath,
      '--import',
      new URL('../count-syncs.ts', import.meta.url).href,
      'src/main.ts',
    ])
    const [result] = await load(server, 3000, crowd)
    await server.stop()
    const syncs = Number(await readFile(countFile, 'utf8'))
    return [{ label: 'Updates that share one commit, 32 clients', ours: (result!.count / syncs).toFixed(1) }]
  })
