import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createWorkflow } from '../api.ts'
import { requestsPerSecond } from '../load.ts'
import { atLeast, type BenchOptions, type Row } from '../measurement.ts'
import { echoGraph } from '../runs/run-graphs.ts'
import { withModel } from '../runs/with-model.ts'
import { residentBytes, type ServerProcess, startServer } from '../server-process.ts'
import { type Pair, sideBySide } from '../side-by-side.ts'
import { megabytes, perSecond } from '../units.ts'
import { withPostgres } from '../with-postgres.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'postgres-replicas'

const clientsPerReplica = 16
const modelJob = { pieces: 5, pieceMilliseconds: 0 }
const groups = '/sys/fs/cgroup/cpu'
const periodMicroseconds = 100_000
/** The share of one processor for a replica. PostgreSQL, the model and the clients need the rest of two processors. */
const share = 0.2

/**
 * Gives a server a fixed share of one processor, as if it had a small machine of its own: on one machine, all replicas
 * would otherwise compete for processors that a single one can use alone.
 */
async function limitProcessor({ pid }: ServerProcess): Promise<() => Promise<void>> {
  const group = join(groups, `banyan-bench-${pid}`)
  await mkdir(group)
  await writeFile(join(group, 'cpu.cfs_period_us'), String(periodMicroseconds))
  await writeFile(join(group, 'cpu.cfs_quota_us'), String(periodMicroseconds * share))
  await writeFile(join(group, 'cgroup.procs'), String(pid))
  // The group can be removed when its process has ended.
  return () => rmdir(group)
}

async function measure(replicas: readonly ServerProcess[], isQuick: boolean): Promise<Row[]> {
  const id = await createWorkflow(replicas[0]!, echoGraph)
  const body = JSON.stringify({ id, inputs: { query: 'Hello' }, stream: 0 })
  const runs = async (count: number): Promise<number> => {
    const rates = replicas.slice(0, count).map(replica =>
      requestsPerSecond(replica, isQuick ? 2000 : 5000, {
        ...{ asks: 'post', connections: clientsPerReplica, path: '/workflow/run' },
        ...{ bodies: [body], expected: '"status":"succeeded"' },
      }),
    )
    return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
  }
  await runs(replicas.length)
  const rows: Row[] = []
  for (const [count, target] of [
    [2, 1.7],
    [3, undefined],
  ] as const) {
    const { ours, limit, ratio }: Pair = await sideBySide(
      isQuick ? 3 : 7,
      () => runs(count),
      () => runs(1),
    )
    rows.push({
      label: `PostgreSQL: journaled runs of 3 nodes, ${count} replicas against one, each with ${share} of a processor`,
      ours: perSecond(ours),
      limit: perSecond(limit),
      ...(target === undefined ? { ratio } : atLeast(ratio, target)),
    })
  }
  const bytes = await Promise.all(replicas.map(({ pid }) => residentBytes(pid)))
  rows.push({ label: 'Memory of a replica after that', ours: megabytes(Math.max(...bytes)) })
  return rows
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withPostgres(url =>
      withModel(modelJob, async ({ environment }) => {
        const replicas: ServerProcess[] = []
        const undo: (() => Promise<void>)[] = []
        try {
          for (let at = 0; at < 3; at++)
            replicas.push(await startServer(folder, { ...environment, DATABASE_URL: url }))
          try {
            for (const replica of replicas) undo.push(await limitProcessor(replica))
          } catch (error) {
            return [{ label: 'Replicas', ours: `skipped: cannot limit processors (${String(error)})` }]
          }
          return await measure(replicas, isQuick)
        } finally {
          await Promise.all(replicas.map(replica => replica.stop()))
          for (const remove of undo) await remove().catch(() => {})
        }
      }),
    ),
  )
