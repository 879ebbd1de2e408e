import { join } from 'node:path'
import { createWorkflow } from '../api.ts'
import type { BareAnswer } from '../bare-http-server.ts'
import { type CrowdResult, load, type PostCrowd, requestsPerSecond } from '../load.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { median } from '../median.ts'
import { runElsewhere, startElsewhere } from '../other-process.ts'
import type { InsertJob } from '../raw-sqlite-inserts.ts'
import { echoGraph, modelGraph } from '../runs/run-graphs.ts'
import { withModel } from '../runs/with-model.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds, perSecond } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'runs-per-second'

const clients = 32
const targetPerSecond = 400
const maxMilliseconds = 200
/** The model answers at once, in as many pieces as a sentence has words. */
const modelJob = { pieces: 20, pieceMilliseconds: 0 }

interface Length {
  rounds: number
  milliseconds: number
}

/** Any response other than a succeeded run fails the measurement. */
export const crowdOf = (workflowId: string): PostCrowd => ({
  asks: 'post',
  connections: clients,
  path: '/workflow/run',
  bodies: Array.from({ length: 100 }, (_, at) =>
    JSON.stringify({ id: workflowId, inputs: { query: `Hello number ${at}` }, stream: 0 }),
  ),
  expected: '"status":"succeeded"',
})

/** The bare limit of the responses: the same bytes from node:http, which reads no body and runs nothing. */
async function bareAnswer(server: ServerProcess, crowd: PostCrowd): Promise<BareAnswer> {
  const answer = await fetch(`${server.base}/api/v1${crowd.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: crowd.bodies[0]!,
  })
  const body = await answer.text()
  return {
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    body,
  }
}

const tails = (label: string, results: readonly CrowdResult[], isTarget: boolean): Row => {
  const p50 = median(results.map(result => result.medianMilliseconds))
  const p99 = median(results.map(result => result.p99Milliseconds))
  return {
    label: `  ${label}: 50th and 99th percentile`,
    ours: `${milliseconds(p50)}, ${milliseconds(p99)}`,
    ...(isTarget && { target: `p99 ≤ ${maxMilliseconds} ms`, met: p99 <= maxMilliseconds }),
  }
}

async function echoRows(server: ServerProcess, folder: string, length: Length): Promise<Row[]> {
  const crowd = crowdOf(await createWorkflow(server, echoGraph))
  const results: CrowdResult[] = []
  const ours = async (): Promise<number> => {
    const [result] = await load(server, length.milliseconds, crowd)
    results.push(result!)
    return result!.perSecond
  }
  const insertJob = { path: join(folder, 'raw.db'), milliseconds: length.milliseconds }
  const inserts = (): Promise<number> => runElsewhere<InsertJob, number>('raw-sqlite-inserts.ts', insertJob)
  const bare = await startElsewhere<BareAnswer, { port: number }>(
    'bare-http-server.ts',
    await bareAnswer(server, crowd),
  )
  try {
    await requestsPerSecond(server, length.milliseconds * 2, crowd)
    const byDisk = await sideBySide(length.rounds, ours, inserts)
    const byHttp = await sideBySide(length.rounds, ours, () =>
      requestsPerSecond(bare.announcement, length.milliseconds, crowd),
    )
    const count = results.reduce((sum, result) => sum + result.count, 0)
    return [
      {
        label: `Journaled runs of 3 nodes, ${clients} clients, against raw SQLite inserts one by one`,
        ours: perSecond(byDisk.ours),
        limit: perSecond(byDisk.limit),
        ratio: byDisk.ratio,
        target: `≥ ${targetPerSecond}/s`,
        met: byDisk.ours >= targetPerSecond,
      },
      {
        label: '  the same, against bare node:http',
        ours: perSecond(byHttp.ours),
        limit: perSecond(byHttp.limit),
        ratio: byHttp.ratio,
      },
      tails('the same', results, true),
      // Any other response would have ended the measurement.
      { label: '  the same: answers, each of them a run that succeeded', ours: count.toLocaleString('en') },
    ]
  } finally {
    await bare.stop()
  }
}

async function modelRows(server: ServerProcess, length: Length): Promise<Row[]> {
  const crowd = crowdOf(await createWorkflow(server, modelGraph))
  await requestsPerSecond(server, length.milliseconds * 2, crowd)
  const results: CrowdResult[] = []
  for (let round = 0; round < length.rounds; round++)
    results.push((await load(server, length.milliseconds, crowd))[0]!)
  return [
    {
      label: `Journaled runs of 4 nodes, one of them a model that streams ${modelJob.pieces} pieces, ${clients} clients`,
      ours: perSecond(median(results.map(result => result.perSecond))),
    },
    tails('the same', results, false),
  ]
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> => {
  const length = isQuick ? { rounds: 1, milliseconds: 1000 } : { rounds: 7, milliseconds: 3000 }
  return withWorkFolder(folder =>
    withModel(modelJob, model =>
      withServer(
        join(folder, 'data'),
        async server => [...(await echoRows(server, folder, length)), ...(await modelRows(server, length))],
        model.environment,
      ),
    ),
  )
}
