import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilIdle } from '../knowledge/idle-server.ts'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { sampleQuestions } from '../knowledge/questions.ts'
import { sampleDocuments } from '../knowledge/sample-documents.ts'
import type { SearchJob, SearchMode, SearchOutcome } from '../knowledge/search-client.ts'
import { atLeast, type BenchOptions, type Row } from '../measurement.ts'
import { runElsewhere, startElsewhere } from '../other-process.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { milliseconds } from '../units.ts'
import { query, withPostgres } from '../with-postgres.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'postgres-knowledge'

const documentBytes = 100_000
const chunksPerDocument = 72
const topK = 10
const warmUp = sampleQuestions(1, 100)
const questions = sampleQuestions(2, 300)
const tellingQuestions = sampleQuestions(3, 100, 1)
/** The size of a base without a graph of its own. */
const smallBase = 5000
const maxGraphMinutes = 20

interface Loaded {
  chunks: number
  perSecond: number
  knowledgeId: string
}

/** Both sides get the same documents. */
async function fill(server: ServerProcess, chunks: number): Promise<Loaded> {
  const client = new KnowledgeClient(server)
  const knowledgeId = await client.create(`Searched ${chunks}`, {})
  const begun = performance.now()
  const documents = sampleDocuments(7, Math.ceil(chunks / chunksPerDocument), documentBytes)
  for (const document of documents) await client.addTexts(knowledgeId, [document])
  const { chunk_count } = await client.untilReady(knowledgeId)
  const perSecond = (chunk_count / (performance.now() - begun)) * 1000
  await untilIdle(server.pid)
  return { chunks: chunk_count, perSecond, knowledgeId }
}

/** Waits for the graph, which is built after the load. */
async function untilGraph(url: string): Promise<string> {
  const begun = performance.now()
  const minutes = (): number => (performance.now() - begun) / 60_000
  for (;;) {
    const graphs = await query(
      url,
      `SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE starts_with(c.relname, 'vectors_graph_') AND i.indisvalid`,
    )
    if (graphs.length > 0) return `${(minutes() * 60).toFixed(0)} s after the load`
    if (minutes() > maxGraphMinutes) throw new Error('No graph of the vectors was built')
    await sleep(1000)
  }
}

const search = (server: ServerProcess, knowledgeId: string, mode: SearchMode, asked: string[]) =>
  runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
    ...{ base: server.base, token, knowledgeId, questions: asked, mode, topK, connections: 1 },
  })

async function searchRow(
  label: string,
  mode: SearchMode,
  [postgres, sqlite]: readonly [ServerProcess, ServerProcess],
  [ours, theirs]: readonly [Loaded, Loaded],
  maxMilliseconds?: number,
): Promise<Row> {
  const medianOf = async (server: ServerProcess, { knowledgeId }: Loaded): Promise<number> => {
    await search(server, knowledgeId, mode, warmUp)
    return (await search(server, knowledgeId, mode, questions)).took.p50
  }
  const [mine, other] = [await medianOf(postgres, ours), await medianOf(sqlite, theirs)]
  return {
    label: `  ${label}: ${mode}, p50 of one client, as reported by the server`,
    ours: milliseconds(mine),
    limit: milliseconds(other),
    ratio: mine / other,
    ...(maxMilliseconds !== undefined && {
      target: `≤ ${maxMilliseconds} ms`,
      met: mine <= maxMilliseconds,
    }),
  }
}

/** How many of the ten nearest are equal, compared by document and position, because the ids of chunks differ. */
async function sameHits(
  servers: readonly [ServerProcess, ServerProcess],
  bases: readonly [Loaded, Loaded],
): Promise<Row> {
  const [ours, theirs] = await Promise.all(
    servers.map(async (server, side) => {
      const { found } = await search(server, bases[side]!.knowledgeId, 'semantic', tellingQuestions)
      return found.map(items => items.map(item => `${item.file_name}#${item.chunk_id.split('_').at(-1)}`))
    }),
  )
  const same = ours!.map((hits, at) => hits.filter(hit => theirs![at]!.includes(hit)).length)
  const share = same.reduce((sum, count) => sum + count, 0) / theirs!.flat().length
  return {
    label: '  hits of a semantic search that SQLite returns, too',
    ours: share.toFixed(3),
    ...atLeast(share, 0.97),
  }
}

async function compare(
  url: string,
  servers: readonly [ServerProcess, ServerProcess],
  size: number,
): Promise<Row[]> {
  const [postgres, sqlite] = servers
  const small = [await fill(postgres, smallBase), await fill(sqlite, smallBase)] as const
  const large = [await fill(postgres, size), await fill(sqlite, size)] as const
  const graph = await untilGraph(url)
  await untilIdle(postgres.pid)
  const [ours, theirs] = large
  const count = ours.chunks.toLocaleString('en')
  const shown = (value: number): string => `${Math.round(value)} chunks/s`
  return [
    {
      label: `PostgreSQL: ${count} chunks with vectors of 384 numbers added, against SQLite`,
      ours: shown(ours.perSecond),
      limit: shown(theirs.perSecond),
      ...atLeast(ours.perSecond / theirs.perSecond, 0.5),
    },
    { label: '  graph of the vectors', ours: graph },
    await searchRow(`${count} chunks`, 'keyword', servers, large),
    await searchRow(`${count} chunks`, 'semantic', servers, large, 15),
    await searchRow(`${count} chunks`, 'hybrid', servers, large, 25),
    await sameHits(servers, large),
    await searchRow(`${smallBase} chunks without a graph`, 'semantic', servers, small, 15),
  ]
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withPostgres(async url => {
      const endpoint = await startElsewhere<object, { port: number }>('knowledge/embedding-server.ts', {})
      const address = `127.0.0.1:${endpoint.announcement.port}`
      const settings = {
        ...{ EMBEDDING_BASE_URL: `http://${address}/v1`, EMBEDDING_MODEL: 'bench' },
        ...{ EGRESS_ALLOW: address, DEMO: 'off' },
      }
      try {
        return await withServer(
          join(folder, 'postgres'),
          postgres =>
            withServer(
              join(folder, 'sqlite'),
              sqlite => compare(url, [postgres, sqlite], isQuick ? 12_000 : 100_000),
              settings,
            ),
          { ...settings, DATABASE_URL: url },
        )
      } finally {
        await endpoint.stop()
      }
    }),
  )
