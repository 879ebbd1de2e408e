import { join } from 'node:path'
import { type Crowd, load } from '../load.ts'
import { atMost, type Row } from '../measurement.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { type ServerProcess, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'many-workflows'

const few = 10
const many = 100_000

async function medianTime(server: ServerProcess, asks: Crowd['asks'], workflows: number): Promise<number> {
  const [result] = await load(server, 1500, { asks, connections: 32, workflows })
  return result!.medianMilliseconds
}

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const folders = { few: join(folder, 'few'), many: join(folder, 'many') }
    await seedWorkflows(folders.few, few)
    await seedWorkflows(folders.many, many)
    return withServer(folders.few, small =>
      withServer(folders.many, async large => {
        const rows: Row[] = []
        for (const asks of ['get', 'update'] as const) {
          await medianTime(small, asks, few)
          await medianTime(large, asks, many)
          const { ours, limit, ratio } = await sideBySide(
            11,
            () => medianTime(large, asks, many),
            () => medianTime(small, asks, few),
          )
          rows.push({
            what: `${asks === 'get' ? 'GET' : 'Update'} among 100,000 workflows, against among 10`,
            ours: milliseconds(ours),
            limit: milliseconds(limit),
            ...atMost(ratio, 1.3),
          })
        }
        return rows
      }),
    )
  })
