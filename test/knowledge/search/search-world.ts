import type { ChunkAddress, FoundChunk } from '../../../src/knowledge/chunk-store.ts'
import type { DocumentStatus, Metadata, Retrieval } from '../../../src/knowledge/knowledge-base.ts'
import type { ChunkFilter } from '../../../src/knowledge/metadata-filter.ts'
import type { SearchParts } from '../../../src/knowledge/search/search-request.ts'
import { SearchService } from '../../../src/knowledge/search/search-service.ts'
import type { QueryTerms } from '../../../src/knowledge/text/query-terms.ts'

export interface Passage {
  /** The document and its batch. */
  file: string
  content: string
  /** The keyword score; undefined if the keyword index does not contain it. */
  keyword?: number
  semantic?: number
  /** Still in an index, but deleted. */
  isDead?: boolean
}

/** A knowledge base searched through scripted indexes that record their queries. */
export class SearchWorld {
  readonly asked: { leg: string; limit: number; allowed: string[] | undefined }[] = []
  readonly filters: ChunkFilter[] = []
  /** Vectors of passages that similarities are compared with. */
  sample: Float32Array[] = []
  readonly reranked: { query: string; documents: string[] }[] = []
  fetched = 0
  /** What the keyword index takes misspelt terms for. */
  meant: Record<string, string> = {}
  /** What the keyword index reports as the size of the base. */
  chunkTotal = 0
  /** How well the documents of the hits match other terms, and the terms that were asked for. */
  match: ((files: string[]) => number[]) | undefined
  readonly matched: string[][] = []
  passages: Passage[]
  retrieval: Retrieval = { topK: 5, scoreThreshold: 0, rerank: false }
  embeddingModel: string | null = 'm'
  embed: () => Promise<Float32Array> = async () => Float32Array.of(1, 0)
  rerank: ((documents: string[]) => { index: number; score: number }[]) | undefined
  statuses: Record<string, DocumentStatus> = {}
  /** The documents by file. */
  metadata: Record<string, Metadata> = {}
  /** The batches that the store returns for filters. */
  matching: string[] = []
  /** The store reports "too many" above this number of batches. */
  maxListed = 2000

  constructor(passages: Passage[]) {
    this.passages = passages
  }

  #addresses(): (Passage & ChunkAddress)[] {
    const counts = new Map<string, number>()
    return this.passages.map(passage => {
      const position = counts.get(passage.file) ?? 0
      counts.set(passage.file, position + 1)
      return { ...passage, batchId: `batch of ${passage.file}`, position }
    })
  }

  #best(leg: 'keyword' | 'semantic', limit: number, isAllowed: (batchId: string) => boolean) {
    return this.#addresses()
      .filter(passage => passage[leg] !== undefined && isAllowed(passage.batchId))
      .sort((left, right) => right[leg]! - left[leg]!)
      .slice(0, limit)
  }

  service(): SearchService {
    const base = {
      id: 'k',
      retrieval: this.retrieval,
      generation: { id: 'g', embeddingModel: this.embeddingModel, dimension: 2, revision: 1 },
    }
    const everything = this.#addresses()
    const batchOf = (file: string): string => `batch of ${file}`
    const left = (filter: ChunkFilter): Set<string> =>
      new Set(
        everything
          .map(({ file }) => file)
          .filter(file => filter.fileIds?.includes(file) ?? true)
          .filter(file => filter.conditions.length === 0 || this.matching.includes(file))
          .map(batchOf),
      )
    const parts = {
      bases: { find: async () => base },
      documents: {
        find: async (_: string, __: unknown, fileId: string) => {
          const status =
            this.statuses[fileId] ?? (everything.some(({ file }) => file === fileId) ? 'ready' : undefined)
          const error = status === 'failed' ? { message: 'It is a scan' } : undefined
          return status && { fileId, status, error, metadata: this.metadata[fileId] ?? {} }
        },
      },
      chunks: {
        batchesOf: async (_: string, __: unknown, filter: ChunkFilter) => left(filter),
        fewBatchesOf: async (_: string, __: unknown, filter: ChunkFilter) => {
          this.filters.push(filter)
          const batches = left(filter)
          return batches.size > this.maxListed ? undefined : batches
        },
        sampleVectors: async () => this.sample,
        fetch: async (_: string, __: string, addresses: ChunkAddress[]) => {
          this.fetched++
          return addresses
            .flatMap(({ batchId, position }) =>
              everything.filter(
                each => each.batchId === batchId && each.position === position && !each.isDead,
              ),
            )
            .map(
              ({ batchId, position, content, file }): FoundChunk => ({
                batchId,
                position,
                content,
                id: `${file}_${position}`,
                fileId: file,
                fileName: `${file}.txt`,
                heading: ['Heading'],
                metadata: this.metadata[file] ?? {},
                from: 0,
                to: content.length,
                tokens: 1,
                enabled: true,
                edited: false,
              }),
            )
            .reverse()
        },
      },
      keywords: {
        search: async (
          _: string,
          __: string,
          terms: QueryTerms,
          limit: number,
          allowed?: ReadonlySet<string>,
        ) => {
          const hits = this.#best('keyword', limit, batchId => allowed?.has(batchId) ?? true)
          this.asked.push({ leg: 'keyword', limit, allowed: undefined })
          return {
            hits: terms.size === 0 ? [] : hits.map(hit => ({ ...hit, score: hit.keyword })),
            terms: Array.from(terms, ([asked, { isOtherForm }]) => {
              const term = this.meant[asked]
              return {
                term: term ?? asked,
                chunkCount: 1,
                weight: 1,
                ...(term && { insteadOf: asked }),
                ...(isOtherForm && { isOtherForm }),
              }
            }),
            chunkTotal: this.chunkTotal,
          }
        },
        match: async (_: string, __: string, hits: ChunkAddress[], weights: ReadonlyMap<string, number>) => {
          this.matched.push([...weights.keys()])
          return this.match?.(hits.map(({ batchId }) => batchId.replace('batch of ', '')))
        },
      },
      vectors: {
        search: async (_: string, __: unknown, ___: Float32Array, limit: number, allowed?: Set<string>) => {
          this.asked.push({ leg: 'semantic', limit, allowed: allowed && [...allowed] })
          return this.#best('semantic', limit, batchId => allowed?.has(batchId) ?? true).map(hit => ({
            ...hit,
            similarity: hit.semantic,
          }))
        },
      },
      embedder: { embedQuery: () => this.embed() },
      models: {
        reranker: async () =>
          this.rerank && {
            rerank: async (query: string, documents: string[]) => {
              this.reranked.push({ query, documents })
              return this.rerank!(documents)
            },
          },
      },
    }
    return new SearchService(parts as unknown as SearchParts)
  }
}
