import { join } from 'node:path'
import { createAgent, createConversation } from '../api.ts'
import { shownTail, type Times, timesOf } from '../knowledge/times.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere, startElsewhere } from '../other-process.ts'
import type { DelayJob, Delays } from '../runs/piece-delays.ts'
import type { StreamRequest } from '../runs/read-stream.ts'
import { withModel } from '../runs/with-model.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'conversations-first-piece'

const maxMilliseconds = 5
const modelJob = { pieces: 10, pieceMilliseconds: 20 }

/** Every turn begins a new conversation, so that all have the same history. */
async function turns(server: ServerProcess, agentId: string, count: number): Promise<StreamRequest[]> {
  const requests: StreamRequest[] = []
  for (let at = 0; at < count; at++) {
    const body = {
      agent_id: agentId,
      conversation_id: await createConversation(server, agentId),
      data_type: 'text',
      content: 'Tell me something',
      stream: 1,
    }
    const path = '/api/v1/conversation/chat'
    requests.push({ port: server.port, token, path, body: JSON.stringify(body) })
  }
  return requests
}

interface Sides {
  ours: Delays
  bare: Delays
}

/** Measures both alternately, so that other load affects them alike; the first round only warms up. */
async function measure(
  server: ServerProcess,
  proxyPort: number,
  { rounds, count, clients }: { rounds: number; count: number; clients: number },
): Promise<Sides> {
  const sides: Sides = { ours: { first: [], later: [] }, bare: { first: [], later: [] } }
  const agentId = await createAgent(server)
  for (let round = 0; round <= rounds; round++) {
    const streams = await turns(server, agentId, count)
    const jobs: Record<keyof Sides, DelayJob> = {
      ours: { streams, clients },
      bare: {
        streams: streams.map(stream => ({ ...stream, port: proxyPort, path: '/v1/chat/completions' })),
        clients,
      },
    }
    for (const side of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      const delays = await runElsewhere<DelayJob, Delays>('runs/piece-delays.ts', jobs[side])
      if (round === 0) continue
      sides[side].first.push(...delays.first)
      sides[side].later.push(...delays.later)
    }
  }
  return sides
}

const added = (ours: number, bare: number): Pick<Row, 'target' | 'met'> => ({
  target: `≤ ${maxMilliseconds} ms more`,
  met: ours - bare <= maxMilliseconds,
})

function rowsOf(clients: number, { ours, bare }: Sides): Row[] {
  const first = { ours: timesOf(ours.first), bare: timesOf(bare.first) }
  const later = { ours: timesOf(ours.later), bare: timesOf(bare.later) }
  const which = `of a streamed chat, ${clients === 1 ? 'one client' : `${clients} clients`}`
  const row = (label: string, of: keyof Times): Row => ({
    label,
    ours: milliseconds(first.ours[of]),
    limit: milliseconds(first.bare[of]),
    ...(clients === 1 && added(first.ours[of], first.bare[of])),
  })
  return [
    row(`First piece ${which}, from the provider to the client: against a piping node:http`, 'p50'),
    row('  the same: 99th percentile', 'p99'),
    {
      label: '  later pieces: 50th and 99th percentile',
      ours: shownTail(later.ours),
      limit: shownTail(later.bare),
    },
  ]
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withModel(modelJob, model =>
      withServer(
        join(folder, 'data'),
        async server => {
          const proxy = await startElsewhere<object, { port: number }>('runs/bare-proxy.ts', {
            port: model.port,
          })
          try {
            const rows: Row[] = []
            for (const clients of [1, 32]) {
              const count = (isQuick ? 10 : 50) * Math.min(clients, 8)
              const rounds = isQuick ? 2 : 4
              const sides = await measure(server, proxy.announcement.port, { rounds, count, clients })
              rows.push(...rowsOf(clients, sides))
            }
            return rows
          } finally {
            await proxy.stop()
          }
        },
        model.environment,
      ),
    ),
  )
