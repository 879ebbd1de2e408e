import { Agent } from 'node:http'
import { takeJob } from '../other-process.ts'
import { readStream, type StreamRequest } from './read-stream.ts'

export interface FirstPieceJob {
  /** Pairs of streams of two kinds, which are read alternately. */
  pairs: [StreamRequest, StreamRequest][]
}

/** Milliseconds from sending the request to the first piece, of either kind. */
export type FirstPieces = [number[], number[]]

takeJob(async ({ pairs }: FirstPieceJob): Promise<FirstPieces> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: FirstPieces = [[], []]
  const read = async (stream: StreamRequest, kind: 0 | 1): Promise<void> => {
    const sentAt = performance.now()
    let first: number | undefined
    await readStream(agent, stream, () => {
      first ??= performance.now() - sentAt
    })
    if (first === undefined) throw new Error('A stream ended without a piece')
    times[kind].push(first)
  }
  for (const [at, [one, other]] of pairs.entries()) {
    if (at % 2 === 0) await read(one, 0)
    await read(other, 1)
    if (at % 2 === 1) await read(one, 0)
  }
  agent.destroy()
  return times
})
