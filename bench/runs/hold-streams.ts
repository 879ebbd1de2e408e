import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Times, timesOf } from '../knowledge/times.ts'
import { takeJob } from '../other-process.ts'
import { residentBytes } from '../server-process.ts'
import { readStream, type StreamRequest } from './read-stream.ts'

export interface HoldJob {
  /** The process of the server. */
  pid: number
  streams: StreamRequest[]
  /** Time for all streams to begin. */
  openingMilliseconds: number
  /** How long all streams are held at once, with pieces arriving in all of them. */
  milliseconds: number
}

export interface HoldResult {
  /** Streams that had begun, and had not ended, for all of that time. */
  atOnce: number
  /** Memory of the server while all were held, in the order of time. */
  residentBytes: number[]
  /** Pieces that arrived while all streams were held. */
  pieces: number
  /** Delays of the pieces after the provider wrote them. */
  delays: Times
}

const sampleMilliseconds = 200
const pollMilliseconds = 20

/** Opens all streams, holds them, and listens to the end. A stream that breaks off fails the benchmark. */
takeJob(async (job: HoldJob): Promise<HoldResult> => {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const delays: number[] = []
  const begun = new Set<StreamRequest>()
  const ended = new Set<StreamRequest>()
  let isHeld = false
  const all = Promise.all(
    job.streams.map(async stream => {
      await readStream(agent, stream, delay => {
        begun.add(stream)
        if (isHeld) delays.push(delay)
      })
      ended.add(stream)
    }),
  )
  const giveUpAt = performance.now() + job.openingMilliseconds
  while (begun.size < job.streams.length && performance.now() < giveUpAt) await sleep(pollMilliseconds)
  isHeld = true
  const begunBefore = begun.size
  const samples: number[] = []
  for (const until = performance.now() + job.milliseconds; performance.now() < until; ) {
    samples.push(await residentBytes(job.pid))
    await sleep(sampleMilliseconds)
  }
  isHeld = false
  const result = { atOnce: begunBefore - ended.size, residentBytes: samples, pieces: delays.length }
  await all
  return { ...result, delays: timesOf(delays) }
})
