import { join } from 'node:path'
import type { BareAnswer } from '../bare-http-server.ts'
import { type Crowd, requestsPerSecond } from '../load.ts'
import { atLeast, type Row } from '../measurement.ts'
import { startElsewhere } from '../other-process.ts'
import { workflowId } from '../sample-graph.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { token, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { perSecond } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'get-workflow'

const crowd: Crowd = { asks: 'get', connections: 32, workflows: 10 }
/** Headers that the bare server writes by itself. */
const connectionHeaders = new Set(['date', 'connection', 'keep-alive'])

async function answerOf(base: string): Promise<BareAnswer> {
  const answer = await fetch(`${base}/api/v1/workflow?id=${workflowId(0)}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const headers = [...answer.headers].filter(([header]) => !connectionHeaders.has(header))
  return { headers: Object.fromEntries(headers), body: await answer.text() }
}

export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const data = join(folder, 'data')
    await seedWorkflows(data, crowd.workflows)
    return withServer(data, async server => {
      const bare = await startElsewhere<BareAnswer, { port: number }>(
        'bare-http-server.ts',
        await answerOf(server.base),
      )
      try {
        for (const warmed of [server, bare.announcement]) await requestsPerSecond(warmed, 2000, crowd)
        const { ours, limit, ratio } = await sideBySide(
          11,
          () => requestsPerSecond(server, 1500, crowd),
          () => requestsPerSecond(bare.announcement, 1500, crowd),
        )
        return [
          {
            label: 'GET a workflow, 32 connections, against bare node:http',
            ours: perSecond(ours),
            limit: perSecond(limit),
            ...atLeast(ratio, 0.8),
          },
        ]
      } finally {
        await bare.stop()
      }
    })
  })
