import { join } from 'node:path'
import { createAgent, createConversation } from '../api.ts'
import { type Times, timesOf } from '../knowledge/times.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import type { FirstPieceJob, FirstPieces } from '../runs/first-pieces.ts'
import type { StreamRequest } from '../runs/read-stream.ts'
import { withModel } from '../runs/with-model.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'openai-first-piece'

const maxMilliseconds = 2
const content = 'Tell me something'

/** The same question to the same agent, through both APIs. Every turn begins a new conversation. */
async function questions(server: ServerProcess, count: number): Promise<FirstPieceJob> {
  const agentId = await createAgent(server)
  const request = (path: string, body: object): StreamRequest => ({
    port: server.port,
    token,
    path,
    body: JSON.stringify(body),
  })
  const completion = { model: agentId, messages: [{ role: 'user', content }], stream: true }
  const pairs: FirstPieceJob['pairs'] = []
  for (let at = 0; at < count; at++) {
    const conversation_id = await createConversation(server, agentId)
    const turn = { agent_id: agentId, conversation_id, data_type: 'text', content, stream: 1 }
    pairs.push([request('/v1/chat/completions', completion), request('/api/v1/conversation/chat', turn)])
  }
  return { pairs }
}

function rowsOf(completions: Times, turns: Times): Row[] {
  const row = (label: string, of: keyof Times): Row => ({
    label,
    ours: milliseconds(completions[of]),
    limit: milliseconds(turns[of]),
  })
  return [
    {
      ...row('From the request to the first piece: /v1/chat/completions against conversation/chat', 'p50'),
      target: `≤ ${maxMilliseconds} ms more`,
      met: completions.p50 - turns.p50 <= maxMilliseconds,
    },
    row('  the same: 95th percentile', 'p95'),
  ]
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withModel({ pieces: 3, pieceMilliseconds: 5 }, model =>
      withServer(
        join(folder, 'data'),
        async server => {
          const measure = async (count: number): Promise<[Times, Times]> => {
            const job = await questions(server, count)
            const times = await runElsewhere<FirstPieceJob, FirstPieces>('runs/first-pieces.ts', job)
            return [timesOf(times[0]), timesOf(times[1])]
          }
          // The first round only warms up.
          await measure(20)
          const [completions, turns] = await measure(isQuick ? 100 : 400)
          return rowsOf(completions, turns)
        },
        model.environment,
      ),
    ),
  )
