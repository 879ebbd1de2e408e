import { Agent } from 'node:http'
import { takeJob } from '../other-process.ts'
import { readStream, type StreamRequest } from './read-stream.ts'

export interface DelayJob {
  streams: StreamRequest[]
  /** Streams read at a time. */
  clients: number
}

/** Milliseconds from the provider's write to here. */
export interface Delays {
  /** Delays of the first piece of every stream. */
  first: number[]
  later: number[]
}

takeJob(async ({ streams, clients }: DelayJob): Promise<Delays> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const delays: Delays = { first: [], later: [] }
  const waiting = [...streams]
  const client = async (): Promise<void> => {
    for (let stream = waiting.pop(); stream; stream = waiting.pop()) {
      let pieces = 0
      await readStream(agent, stream, delay => {
        delays[pieces === 0 ? 'first' : 'later'].push(delay)
        pieces += 1
      })
      if (pieces === 0) throw new Error('A stream ended without a piece')
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return delays
})
