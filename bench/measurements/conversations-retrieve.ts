import { join } from 'node:path'
import { createAgent, createConversation, post } from '../api.ts'
import type { MessagesJob } from '../conversations/seed-messages.ts'
import { load, type PostCrowd } from '../load.ts'
import { atMost, type BenchOptions, type Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { type ServerProcess, withServer } from '../server-process.ts'
import { type Pair, sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'conversations-retrieve'

const limit = 100
const few = 100

interface Talk {
  agentId: string
  conversationId: string
}

// The demo would be ingested during the measurement.
const settings = { DEMO: 'off' }

async function seed(data: string, counts: readonly number[]): Promise<Talk[]> {
  const talks = await withServer(
    data,
    async server => {
      const agentId = await createAgent(server)
      const made: Talk[] = []
      for (const _ of counts)
        made.push({ agentId, conversationId: await createConversation(server, agentId) })
      return made
    },
    settings,
  )
  for (const [at, { conversationId }] of talks.entries())
    await runElsewhere<MessagesJob, object>('conversations/seed-messages.ts', {
      path: join(data, 'banyan.db'),
      conversationId,
      count: counts[at]!,
    })
  return talks
}

const question = ({ agentId, conversationId }: Talk, offset: number): object => ({
  agent_id: agentId,
  conversation_id: conversationId,
  limit,
  offset,
})

/** Checks that both sides return the same number of messages, so that they are comparable. */
async function checkPage(server: ServerProcess, talk: Talk, offset: number): Promise<void> {
  const { retrieve_data: messages } = await post<{ retrieve_data: object[] }>(
    server,
    '/conversation/retrieve',
    question(talk, offset),
  )
  if (messages.length !== limit) throw new Error(`A page had ${messages.length} messages`)
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const many = isQuick ? 100_000 : 1_000_000
    const data = join(folder, 'data')
    const [short, long] = (await seed(data, [few, many])) as [Talk, Talk]
    const length = isQuick ? { rounds: 3, milliseconds: 500 } : { rounds: 11, milliseconds: 1500 }
    return withServer(
      data,
      async server => {
        const medianTime = async (talk: Talk, offsets: readonly number[]): Promise<number> => {
          // One client, which waits only for the server and not for other clients.
          const crowd: PostCrowd = {
            asks: 'post',
            connections: 1,
            path: '/conversation/retrieve',
            bodies: offsets.map(offset => JSON.stringify(question(talk, offset))),
            expected: '"code":0',
          }
          return (await load(server, length.milliseconds, crowd))[0]!.medianMilliseconds
        }
        const compare = async (offsets: readonly number[]): Promise<Pair> => {
          for (const offset of offsets.slice(0, 3)) await checkPage(server, long, offset)
          await medianTime(long, offsets)
          return sideBySide(
            length.rounds,
            () => medianTime(long, offsets),
            () => medianTime(short, [0]),
          )
        }
        await checkPage(server, short, 0)
        await medianTime(short, [0])
        const oldest = many - limit
        const anywhere = Array.from({ length: 1000 }, () => Math.floor(Math.random() * oldest))
        const pages = [
          { which: `the newest ${limit}`, pair: await compare([0]) },
          { which: `the oldest ${limit}`, pair: await compare([oldest]) },
          { which: `any ${limit} in a row`, pair: await compare(anywhere) },
        ]
        return pages.map(({ which, pair }) => ({
          label: `Retrieve ${which} of ${many.toLocaleString('en')} messages, against all of ${few}`,
          ours: milliseconds(pair.ours),
          limit: milliseconds(pair.limit),
          ...atMost(pair.ratio, 1.3),
        }))
      },
      settings,
    )
  })
