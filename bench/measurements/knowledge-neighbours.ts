import { join } from 'node:path'
import { untilIdle } from '../knowledge/idle-server.ts'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { sampleDocuments } from '../knowledge/sample-documents.ts'
import type { SteadyJob } from '../knowledge/steady-reader.ts'
import type { Times } from '../knowledge/times.ts'
import { atMost, type BenchOptions, type Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { seedWorkflows } from '../seed-workflows.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'knowledge-neighbours'

const workflows = 1000
const windowMilliseconds = 6000
const filesPerCall = 100
/** More documents than a machine ten times as fast ingests in one window. */
const documents = 300
const documentBytes = 200_000

const readSteadily = (server: ServerProcess): Promise<Times> =>
  runElsewhere<SteadyJob, Times>('knowledge/steady-reader.ts', {
    base: server.base,
    token,
    milliseconds: windowMilliseconds,
    perSecond: 200,
    connections: 8,
    workflows,
  })

/** Uploads files in advance, so that only their ingestion is measured. */
async function uploadDocuments(client: KnowledgeClient, count: number): Promise<string[]> {
  const fileIds: string[] = []
  for (const { name, content } of sampleDocuments(11, count, documentBytes))
    fileIds.push(await client.upload(name, content))
  return fileIds
}

async function besideIngestion(server: ServerProcess, fileIds: readonly string[], round: number) {
  const client = new KnowledgeClient(server)
  const knowledgeId = await client.create(`Beside ${round}`)
  for (let start = 0; start < fileIds.length; start += filesPerCall)
    await client.addFiles(knowledgeId, fileIds.slice(start, start + filesPerCall))
  const times = await readSteadily(server)
  const { status } = await client.state(knowledgeId)
  await client.call(`/knowledge/${knowledgeId}/delete`, {})
  await untilIdle(server.pid)
  if (status === 'ready') throw new Error('Ingestion ended too early to be measured beside: give it more')
  return times
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const data = join(folder, 'data')
    await seedWorkflows(data, workflows)
    return withServer(data, async server => {
      const fileIds = await uploadDocuments(new KnowledgeClient(server), documents)
      await untilIdle(server.pid)
      await readSteadily(server)
      let round = 0
      const beside: Times[] = []
      const { ours, limit, ratio } = await sideBySide(
        isQuick ? 3 : 5,
        async () => {
          const times = await besideIngestion(server, fileIds, round++)
          beside.push(times)
          return times.p99
        },
        async () => (await readSteadily(server)).p99,
      )
      return [
        {
          label: 'GET a workflow, 200/s on 8 connections, 99th percentile: beside ingestion, against alone',
          ours: milliseconds(ours),
          limit: milliseconds(limit),
          ...atMost(ratio, 2),
        },
      ]
    })
  })
