import { join } from 'node:path'
import { load, type WorkflowCrowd } from '../load.ts'
import { atMost, type Row } from '../measurement.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { type ServerProcess, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'many-workflows'

const few = 10
const many = 100_000

async function medianTime(
  server: ServerProcess,
  asks: WorkflowCrowd['asks'],
  workflows: number,
): Promise<number> {
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
        const comparisons = [
          { asks: 'get', of: few, label: 'GET one of ten workflows among 100,000, against among 10' },
          { asks: 'get', of: many, label: 'GET any of 100,000 workflows, against any of 10' },
          { asks: 'update', of: many, label: 'Update any of 100,000 workflows, against any of 10' },
        ] as const
        for (const { asks, of, label } of comparisons) {
          await medianTime(small, asks, few)
          await medianTime(large, asks, of)
          const { ours, limit, ratio } = await sideBySide(
            11,
            () => medianTime(large, asks, of),
            () => medianTime(small, asks, few),
          )
          rows.push({ label, ours: milliseconds(ours), limit: milliseconds(limit), ...atMost(ratio, 1.3) })
        }
        return rows
      }),
    )
  })
