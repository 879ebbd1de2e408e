import { join } from 'node:path'
import type { NeighboursJob } from '../knowledge/exact-neighbours.ts'
import { untilIdle } from '../knowledge/idle-server.ts'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { sampleQuestions } from '../knowledge/questions.ts'
import { sampleDocuments } from '../knowledge/sample-documents.ts'
import type { SearchJob, SearchMode, SearchOutcome } from '../knowledge/search-client.ts'
import type { InProcessJob } from '../knowledge/search-in-process.ts'
import { shownTimes, type Times } from '../knowledge/times.ts'
import { atLeast, type BenchOptions, type Row } from '../measurement.ts'
import { runElsewhere, startElsewhere } from '../other-process.ts'
import { peakBytes, residentBytes, type ServerProcess, token, withServer } from '../server-process.ts'
import { megabytes } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'knowledge-search'

const documentBytes = 100_000
/** An approximate number; documents are added until there are enough chunks. */
const chunksPerDocument = 70
const topK = 10
const warmUp = sampleQuestions(1, 150)
const questions = sampleQuestions(2, 400)
const tellingQuestions = sampleQuestions(3, 100, 1)
const vagueQuestions = sampleQuestions(4, 40, 0)

const within = (times: Times, p50: number, p95?: number): Pick<Row, 'target' | 'met'> => ({
  target: p95 === undefined ? `p50 ≤ ${p50} ms` : `≤ ${p50}, ${p95} ms`,
  met: times.p50 <= p50 && (p95 === undefined || times.p95 <= p95),
})

class SearchedBase {
  readonly #folder: string
  readonly #documents = sampleDocuments(7, Number.POSITIVE_INFINITY, documentBytes)
  #knowledgeId = ''
  #chunks = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Adds the missing documents through the API and waits until every index contains them. */
  async grow(server: ServerProcess, size: number): Promise<Row[]> {
    const client = new KnowledgeClient(server)
    this.#knowledgeId ||= await client.create('Searched', {})
    const [before, chunksBefore, begun] = [await residentBytes(server.pid), this.#chunks, performance.now()]
    let readyAt = begun
    const peak = await peakBytes(server.pid, async () => {
      while (this.#chunks < size) {
        const count = Math.ceil((size - this.#chunks) / chunksPerDocument)
        // One at a time, so that the text is not in memory twice.
        for (let at = 0; at < count; at++)
          await client.addTexts(this.#knowledgeId, [this.#documents.next().value!])
        this.#chunks = (await client.untilReady(this.#knowledgeId)).chunk_count
      }
      readyAt = performance.now()
      await untilIdle(server.pid)
    })
    const seconds = (readyAt - begun) / 1000
    const added = this.#chunks - chunksBefore
    return [
      {
        label: `${this.#count()} chunks with vectors of 384 numbers: added`,
        ours: `${Math.round(added / seconds)} chunks/s, idle after ${((performance.now() - begun) / 1000).toFixed(0)} s`,
      },
      {
        label: '  memory of the server: at its start, most while adding, afterwards',
        ours: [before, peak, await residentBytes(server.pid)].map(megabytes).join(', '),
      },
    ]
  }

  #count(): string {
    return this.#chunks.toLocaleString('en')
  }

  #search(server: ServerProcess, mode: SearchMode, connections: number, asked: string[]) {
    return runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
      base: server.base,
      token,
      knowledgeId: this.#knowledgeId,
      questions: asked,
      mode,
      topK,
      connections,
    })
  }

  async overHttp(server: ServerProcess, mode: SearchMode): Promise<Row[]> {
    await this.#search(server, mode, 1, warmUp)
    const one = await this.#search(server, mode, 1, questions)
    // The threads that one client does not use begin with empty caches.
    await this.#search(server, mode, 8, warmUp)
    const eight = await this.#search(server, mode, 8, questions)
    const label = `  ${mode}, p50 and p95`
    return [
      {
        label: `${label}: one client, as reported by the server`,
        ours: shownTimes(one.took),
        ...(mode !== 'semantic' && within(one.took, 15, 50)),
      },
      { label: `${label}: one client, over HTTP`, ours: shownTimes(one.overHttp) },
      {
        label: `${label}: 8 clients, over HTTP`,
        ours: shownTimes(eight.overHttp),
        ...(mode === 'keyword' && within(eight.overHttp, 25)),
      },
    ]
  }

  async #recall(server: ServerProcess, asked: string[]): Promise<number> {
    const { found } = await this.#search(server, 'semantic', 1, asked)
    const truth = await runElsewhere<NeighboursJob, string[][]>('knowledge/exact-neighbours.ts', {
      database: join(this.#folder, 'banyan.db'),
      questions: asked,
      depth: topK,
    })
    const hits = truth.map((ids, number) => found[number]!.filter(item => ids.includes(item.chunk_id)).length)
    return hits.reduce((sum, count) => sum + count, 0) / truth.flat().length
  }

  async recalls(server: ServerProcess): Promise<Row[]> {
    const telling = await this.#recall(server, tellingQuestions)
    const vague = await this.#recall(server, vagueQuestions)
    const label = '  semantic, recall@10 against comparing with all'
    return [
      { label, ours: telling.toFixed(3), ...atLeast(telling, 0.98) },
      // For these nearly all vectors are equally near, which is hard for a graph, so they have no target.
      { label: `${label}: questions without a topic`, ours: vague.toFixed(3) },
    ]
  }

  async withoutEndpoint(): Promise<Row[]> {
    const [semantic, hybrid] = await runElsewhere<InProcessJob, Times[]>('knowledge/search-in-process.ts', {
      dataFolder: this.#folder,
      knowledgeId: this.#knowledgeId,
      warmUp,
      questions,
      modes: ['semantic', 'hybrid'],
      topK,
    })
    const label = 'p50 and p95: without the call to the embedding endpoint'
    return [
      { label: `  semantic, ${label}`, ours: shownTimes(semantic!), ...within(semantic!, 5) },
      { label: `  hybrid, ${label}`, ours: shownTimes(hybrid!), ...within(hybrid!, 15, 50) },
    ]
  }
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const endpoint = await startElsewhere<object, { port: number }>('knowledge/embedding-server.ts', {})
    const address = `127.0.0.1:${endpoint.announcement.port}`
    const settings = {
      EMBEDDING_BASE_URL: `http://${address}/v1`,
      EMBEDDING_MODEL: 'bench',
      EGRESS_ALLOW: address,
    }
    const base = new SearchedBase(join(folder, 'data'))
    const rows: Row[] = []
    try {
      for (const size of isQuick ? [1000, 10_000] : [1000, 10_000, 100_000]) {
        console.error(`  ${size.toLocaleString('en')} chunks …`)
        await withServer(
          join(folder, 'data'),
          async server => {
            rows.push(...(await base.grow(server, size)))
            for (const mode of ['keyword', 'semantic', 'hybrid'] as const)
              rows.push(...(await base.overHttp(server, mode)))
            rows.push(...(await base.recalls(server)))
          },
          settings,
        )
        rows.push(...(await base.withoutEndpoint()))
      }
    } finally {
      await endpoint.stop()
    }
    return rows
  })
