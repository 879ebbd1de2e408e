import { join } from 'node:path'
import { createAgent, createConversation, createWorkflow, post } from '../api.ts'
import { timesOf } from '../knowledge/times.ts'
import { type Crowd, load, requestsPerSecond } from '../load.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import type { DelayJob, Delays } from '../runs/piece-delays.ts'
import { echoGraph } from '../runs/run-graphs.ts'
import { withModel } from '../runs/with-model.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { type Pair, sideBySide } from '../side-by-side.ts'
import { milliseconds, perSecond } from '../units.ts'
import { withPostgres } from '../with-postgres.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'postgres-requests'

const workflows = 1000
const clients = 32
const chatClients = 8
const turns = 50
const modelJob = { pieces: 5, pieceMilliseconds: 0 }

/** One measurement of a server: responses per second, or milliseconds. */
type Ask = (server: ServerProcess) => Promise<number>

interface Length {
  rounds: number
  milliseconds: number
}

const chatBody = (agentId: string, conversationId: string, stream: 0 | 1): object => ({
  agent_id: agentId,
  conversation_id: conversationId,
  data_type: 'text',
  content: 'Tell me something',
  stream,
})

/** Every turn begins a new conversation. */
async function firstPiece(server: ServerProcess, agentId: string): Promise<number> {
  const streams: DelayJob['streams'] = []
  for (let at = 0; at < turns; at++) {
    const body = JSON.stringify(chatBody(agentId, await createConversation(server, agentId), 1))
    streams.push({ port: server.port, token, path: '/api/v1/conversation/chat', body })
  }
  const delays = await runElsewhere<DelayJob, Delays>('runs/piece-delays.ts', {
    streams,
    clients: chatClients,
  })
  return timesOf(delays.first).p50
}

/** The measurements of a server, after their setup. */
async function asksOf(server: ServerProcess, length: Length): Promise<Record<string, Ask>> {
  const workflowId = await createWorkflow(server, echoGraph)
  const agentId = await createAgent(server)
  const conversationId = await createConversation(server, agentId)
  for (let at = 0; at < turns; at++)
    await post(server, '/conversation/chat', chatBody(agentId, conversationId, 0))
  const rate =
    (crowd: Crowd): Ask =>
    () =>
      requestsPerSecond(server, length.milliseconds, crowd)
  return {
    get: rate({ asks: 'get', connections: clients, workflows }),
    update: rate({ asks: 'update', connections: clients, workflows }),
    run: rate({
      asks: 'post',
      connections: clients,
      path: '/workflow/run',
      bodies: [JSON.stringify({ id: workflowId, inputs: { query: 'Hello' }, stream: 0 })],
      expected: '"status":"succeeded"',
    }),
    chat: () => firstPiece(server, agentId),
    retrieve: async () => {
      const question = { agent_id: agentId, conversation_id: conversationId, limit: turns * 2, offset: 0 }
      const [result] = await load(server, length.milliseconds, {
        ...{ asks: 'post', connections: 1, path: '/conversation/retrieve' },
        ...{ bodies: [JSON.stringify(question)], expected: '"code":0' },
      })
      return result!.medianMilliseconds
    },
  }
}

const shown = (label: string, { ours, limit, ratio }: Pair, unit: (value: number) => string): Row => ({
  label: `PostgreSQL: ${label}, against SQLite`,
  ours: unit(ours),
  limit: unit(limit),
  ratio,
})

async function compare(postgres: ServerProcess, sqlite: ServerProcess, length: Length): Promise<Row[]> {
  const [ours, theirs] = [await asksOf(postgres, length), await asksOf(sqlite, length)]
  const pairOf = async (ask: string): Promise<Pair> => {
    const sides = [() => ours[ask]!(postgres), () => theirs[ask]!(sqlite)] as const
    for (const side of sides) await side()
    return sideBySide(length.rounds, ...sides)
  }
  return [
    shown(`GET a workflow, ${clients} connections`, await pairOf('get'), perSecond),
    shown(`durable updates, ${clients} clients`, await pairOf('update'), perSecond),
    shown(`journaled runs of 3 nodes, ${clients} clients`, await pairOf('run'), perSecond),
    shown(`first piece of a streamed chat, ${chatClients} clients`, await pairOf('chat'), milliseconds),
    shown(`retrieve ${turns * 2} messages, one client`, await pairOf('retrieve'), milliseconds),
  ]
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> => {
  const length = isQuick ? { rounds: 3, milliseconds: 1000 } : { rounds: 7, milliseconds: 2000 }
  return withWorkFolder(folder =>
    withPostgres(url =>
      withModel(modelJob, async ({ environment }) => {
        const [ours, theirs] = [join(folder, 'postgres'), join(folder, 'sqlite')]
        await seedWorkflows(ours, workflows, url)
        await seedWorkflows(theirs, workflows)
        return withServer(
          ours,
          postgres => withServer(theirs, sqlite => compare(postgres, sqlite, length), environment),
          { ...environment, DATABASE_URL: url },
        )
      }),
    ),
  )
}
