import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, createConversation, createWorkflow } from '../api.ts'
import { shownTail } from '../knowledge/times.ts'
import { atMost, type BenchOptions, type Row } from '../measurement.ts'
import { median } from '../median.ts'
import { runElsewhere } from '../other-process.ts'
import type { HoldJob, HoldResult } from '../runs/hold-streams.ts'
import type { StreamRequest } from '../runs/read-stream.ts'
import { modelGraph } from '../runs/run-graphs.ts'
import { withModel } from '../runs/with-model.ts'
import { residentBytes, type ServerProcess, token, withServer } from '../server-process.ts'
import { megabytes } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'runs-streams'

const streams = 500
const pieceMilliseconds = 1000
/** Time for all streams to begin. */
const openingMilliseconds = 10_000
/** Time for an idle server to finish its writes and garbage collection. */
const restMilliseconds = 3000

type MakeStreams = (server: ServerProcess, count: number, question: string) => Promise<StreamRequest[]>

const requestOf = (server: ServerProcess, path: string, body: object): StreamRequest => ({
  port: server.port,
  token,
  path: `/api/v1${path}`,
  body: JSON.stringify({ ...body, stream: 1 }),
})

const runStreams: MakeStreams = async (server, count, question) => {
  const id = await createWorkflow(server, modelGraph)
  return Array.from({ length: count }, () =>
    requestOf(server, '/workflow/run', { id, inputs: { query: question } }),
  )
}

const chatStreams: MakeStreams = async (server, count, question) => {
  const agentId = await createAgent(server)
  const requests: StreamRequest[] = []
  for (let at = 0; at < count; at++)
    requests.push(
      requestOf(server, '/conversation/chat', {
        agent_id: agentId,
        conversation_id: await createConversation(server, agentId),
        data_type: 'text',
        content: question,
      }),
    )
  return requests
}

function rowsOf(label: string, before: number, held: HoldResult, after: number): Row[] {
  const { residentBytes: samples } = held
  const quarter = Math.ceil(samples.length / 4)
  const first = median(samples.slice(0, quarter))
  const last = median(samples.slice(-quarter))
  return [
    {
      label: `${streams} ${label} held, with a piece a second each: memory before, with all, afterwards`,
      ours: [before, last, after].map(megabytes).join(', '),
    },
    {
      label: '  streams that had begun, and did not end, all that time',
      ours: String(held.atOnce),
      target: `≥ ${streams}`,
      met: held.atOnce >= streams,
    },
    { label: '  memory of one stream', ours: `${Math.round((last - before) / held.atOnce / 1024)} KiB` },
    {
      label: '  memory at the end of the time they are held, against its beginning',
      ours: megabytes(last),
      limit: megabytes(first),
      ...atMost(last / first, 1.1),
    },
    {
      label: `  ${held.pieces.toLocaleString('en')} pieces, 50th and 99th percentile: from the provider's write to the client`,
      ours: shownTail(held.delays),
    },
  ]
}

/** Every kind of stream has a server of its own: memory left over from one would hide the memory that the other takes. */
const measure = (label: string, make: MakeStreams, milliseconds: number): Promise<Row[]> => {
  const job = {
    pieces: Math.ceil((openingMilliseconds + milliseconds) / pieceMilliseconds),
    pieceMilliseconds,
  }
  return withWorkFolder(folder =>
    withModel(job, model =>
      withServer(
        join(folder, 'data'),
        async server => {
          const hold = (requests: StreamRequest[], held: number) =>
            runElsewhere<HoldJob, HoldResult>('runs/hold-streams.ts', {
              pid: server.pid,
              streams: requests,
              openingMilliseconds,
              milliseconds: held,
            })
          const all = await make(server, streams, 'Go on')
          await hold(await make(server, 20, 'Answer in 3 pieces'), 0)
          await sleep(restMilliseconds)
          const before = await residentBytes(server.pid)
          const held = await hold(all, milliseconds)
          await sleep(restMilliseconds)
          return rowsOf(label, before, held, await residentBytes(server.pid))
        },
        model.environment,
      ),
    ),
  )
}

export const run = async ({ isQuick }: BenchOptions): Promise<Row[]> => {
  const milliseconds = isQuick ? 8000 : 60_000
  return [
    ...(await measure('streamed runs', runStreams, milliseconds)),
    ...(await measure('streamed chats', chatStreams, milliseconds)),
  ]
}
