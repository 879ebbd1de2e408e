import { runElsewhere } from './other-process.ts'
import { type ServerProcess, token } from './server-process.ts'

/** Clients that repeat the same request, each sending the next one after the last response. */
export interface WorkflowCrowd {
  asks: 'get' | 'update'
  connections: number
  /** Ids are drawn at random from this many. */
  workflows: number
}

export interface PostCrowd {
  asks: 'post'
  connections: number
  /** Path below /api/v1. */
  path: string
  /** JSON, drawn at random. */
  bodies: string[]
  /** A text that every correct response contains. */
  expected: string
}

export type Crowd = WorkflowCrowd | PostCrowd

export interface LoadJob {
  port: number
  token: string
  milliseconds: number
  crowds: Crowd[]
}

export interface CrowdResult {
  /** Number of responses, all of them as expected; any other response fails the benchmark. */
  count: number
  perSecond: number
  medianMilliseconds: number
  p99Milliseconds: number
}

export const load = (
  server: Pick<ServerProcess, 'port'>,
  milliseconds: number,
  ...crowds: Crowd[]
): Promise<CrowdResult[]> =>
  runElsewhere<LoadJob, CrowdResult[]>('load-generator.ts', {
    port: server.port,
    token,
    milliseconds,
    crowds,
  })

export async function requestsPerSecond(
  server: Pick<ServerProcess, 'port'>,
  milliseconds: number,
  crowd: Crowd,
): Promise<number> {
  const [result] = await load(server, milliseconds, crowd)
  return result!.perSecond
}
