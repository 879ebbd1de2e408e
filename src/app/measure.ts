import { countRows, type Database } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { as, integer, optional } from '../database/table.ts'
import type { Clock } from '../kernel/clock.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import type { LanguageModel } from '../models/language-model.ts'
import type { KindRegistry, NodeKind } from '../workflow/node-kind.ts'
import type { Adapters } from './adapters.ts'
import type { Metrics, ModelCall } from './metrics.ts'
import { observed, wrapModels } from './wrap-models.ts'

const secondsSince = (start: number): number => (performance.now() - start) / 1000

/** The same adapters, with every call to a provider measured. */
export function measureProviders(adapters: Adapters, metrics: Metrics): Adapters {
  async function measure<Result>(call: ModelCall, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now()
    try {
      const result = await work()
      metrics.modelCall(call, 'succeeded', secondsSince(start))
      return result
    } catch (error) {
      metrics.modelCall(call, 'failed', secondsSince(start))
      throw error
    }
  }
  const chat = (model: LanguageModel): LanguageModel => ({
    name: model.name,
    generate: async (...request) => {
      const answer = await measure('chat', () => model.generate(...request))
      metrics.modelTokens(answer.usage.promptTokens, answer.usage.completionTokens)
      return answer
    },
  })
  const embedding = (model: EmbeddingModel): EmbeddingModel => ({
    embed: (...texts) => measure('embedding', () => model.embed(...texts)),
  })
  const { webSearch } = adapters
  return {
    ...adapters,
    ...wrapModels(adapters, {
      chat,
      embedding: ({ ingestion, query }) => ({ ingestion: embedding(ingestion), query: embedding(query) }),
      rerank: model => ({ rerank: (...query) => measure('rerank', () => model.rerank(...query)) }),
      transcription: model => ({
        transcribe: (...audio) => measure('transcription', () => model.transcribe(...audio)),
      }),
      speech: model => ({ synthesize: (...text) => measure('speech', () => model.synthesize(...text)) }),
    }),
    webSearch: webSearch && { search: (...query) => measure('web_search', () => webSearch.search(...query)) },
  }
}

/** The same kinds, with every attempt of a step measured. */
export function measureKinds(kinds: KindRegistry, metrics: Metrics): KindRegistry {
  const measured = (kind: NodeKind<unknown>): NodeKind<unknown> => ({
    ...kind,
    run: (...attempt) => {
      const start = performance.now()
      return observed(
        () => kind.run(...attempt),
        error => metrics.step(kind.kind, error === undefined ? 'succeeded' : 'failed', secondsSince(start)),
      )
    },
  })
  return new Map([...kinds].map(([name, kind]) => [name, measured(kind)]))
}

/** For how many seconds the oldest entry of a queue has been claimable. */
export const ageOfDue = (database: Database, queue: 'runs' | 'readings', clock: Clock) => async () => {
  const oldest = await database.get(
    sql`SELECT MIN(due_at) ${as('dueAt', optional(integer()))} FROM ${raw(queue)} WHERE due_at IS NOT NULL`,
  )
  return oldest?.dueAt === undefined ? 0 : Math.max(0, (clock.now() - oldest.dueAt) / 1000)
}

/** Entries of a queue that could be claimed now. */
export const countDue =
  (database: Database, queue: 'runs' | 'readings', clock: Clock) => (): Promise<number> =>
    countRows(database, sql`${raw(queue)} WHERE due_at IS NOT NULL AND due_at <= ${clock.now()}`)
