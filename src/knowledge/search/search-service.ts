import { AppError, invalidField } from '../../kernel/app-error.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { FoundChunk } from '../chunk-store.ts'
import { DimensionChanged } from '../embedder.ts'
import type { WeighedTerm } from '../index/keyword-index.ts'
import type { KnowledgeBase, SearchMode } from '../knowledge-base.ts'
import { highlights } from '../text/highlights.ts'
import { textTerms } from '../text/text-terms.ts'
import { explainAbsence } from './explain-absence.ts'
import { addressKey, type Candidate, fuseRanks } from './fuse-ranks.ts'
import { matchesFilter } from './matches-filter.ts'
import type { FoundItem, Question, Recalled, SearchParts } from './search-parts.ts'
import type { SearchRequest, SearchResult } from './search-request.ts'

/** Each leg offers at least so many, since the best by both may be the best by neither. */
const fewestPerLeg = 60
const mostPerLeg = 1000
/** A filter that leaves more is applied to what was found instead of to what is searched. */
const fewBatches = 2000
const rerankedAtMost = 50

export class SearchService {
  readonly #parts: SearchParts

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  async search(workspaceId: string, knowledgeId: string, request: SearchRequest): Promise<SearchResult> {
    const startedAt = performance.now()
    const base = await this.#parts.bases.find(workspaceId, knowledgeId)
    const { question, warning } = await this.#ask(workspaceId, base, request)
    const topK = request.topK ?? base.retrieval.topK
    const threshold = request.scoreThreshold ?? base.retrieval.scoreThreshold
    const rerank = this.#wantsRerank(request, base)
    const recalled = await this.#recall(question, rerank ? Math.max(topK, rerankedAtMost) : topK)
    // The index may have been replaced by the next one meanwhile, and swept.
    if (recalled.found.length < topK) {
      const now = await this.#parts.bases.find(workspaceId, knowledgeId)
      if (now.generation.id !== base.generation.id) return this.search(workspaceId, knowledgeId, request)
    }
    const ranked = rerank ? await this.#rerank(question.text, recalled.found) : recalled.found
    const items = ranked.filter(item => item.score >= threshold).slice(0, topK)
    const shown = tellingTerms(recalled.terms)
    for (const item of items) item.highlights = highlights(item.chunk.content, shown)
    return {
      mode: question.mode,
      tookMilliseconds: Math.round((performance.now() - startedAt) * 100) / 100,
      items,
      warning,
      explanation: request.explain
        ? {
            terms: recalled.terms,
            ranks: items.map(({ chunk, candidate }) => ({
              chunkId: chunk.id,
              keyword: candidate.keyword?.rank,
              semantic: candidate.semantic?.rank,
            })),
            absent: await explainAbsence(this.#parts, question, request, ranked, items, threshold),
          }
        : undefined,
    }
  }

  async #ask(
    workspaceId: string,
    base: KnowledgeBase,
    request: SearchRequest,
  ): Promise<{ question: Question; warning: string | undefined }> {
    const { embeddingModel } = base.generation
    const wanted = request.mode ?? base.retrieval.mode
    if (request.mode && request.mode !== 'keyword' && !embeddingModel)
      throw invalidField('/mode', 'this knowledge base has no embedding model; search it with mode keyword')
    let mode: SearchMode = embeddingModel ? (wanted ?? 'hybrid') : 'keyword'
    let vector: Float32Array | undefined
    let warning: string | undefined
    if (mode !== 'keyword') {
      try {
        vector = await this.#parts.embedder.embedQuestion(embeddingModel!, request.query)
        const { dimension } = base.generation
        if (dimension !== null && vector.length !== dimension) throw new DimensionChanged(vector.length)
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error
        if (mode === 'semantic') throw new AppError('model_failed', error.message, { cause: error })
        // The other leg still answers, which is better than no answer.
        mode = 'keyword'
        warning = `Found by keywords only: ${error.message}`
      }
    }
    const { fileIds, conditions = [] } = request
    const filter = fileIds || conditions.length > 0 ? { fileIds, conditions } : undefined
    const allowed = filter && (await this.#parts.chunks.fewBatchesOf(workspaceId, base, filter, fewBatches))
    const terms = mode === 'semantic' && !request.explain ? [] : textTerms(request.query)
    return {
      question: { workspaceId, base, mode, text: request.query, terms, vector, filter, allowed },
      warning,
    }
  }

  #wantsRerank(request: SearchRequest, base: KnowledgeBase): boolean {
    if (request.rerank && !this.#parts.reranker)
      throw invalidField('/rerank', 'no reranker is configured; set RERANK_BASE_URL and RERANK_MODEL')
    return (request.rerank ?? base.retrieval.rerank) && this.#parts.reranker !== undefined
  }

  /**
   * Asks the legs for more than is needed, since what was deleted or disabled a moment ago may still stand in an
   * index, and what a filter leaves out was perhaps not left out yet; when too little is left of it, asks for more.
   */
  async #recall(question: Question, wanted: number): Promise<Recalled> {
    for (let limit = Math.max(fewestPerLeg, wanted * 2); limit < mostPerLeg; limit *= 4) {
      const { candidates, terms } = await this.#askLegs(question, limit)
      const found = await this.#fetch(question, candidates, wanted)
      if (found.length >= wanted || candidates.length < limit) return { found, terms }
    }
    // Hardly anything of what was found counts. Listing all that does may take a while, but misses nothing.
    const { workspaceId, base, filter = { fileIds: undefined, conditions: [] } } = question
    const allowed = await this.#parts.chunks.batchesOf(workspaceId, base, filter)
    const { candidates, terms } = await this.#askLegs({ ...question, allowed }, mostPerLeg)
    return { found: await this.#fetch(question, candidates, wanted), terms }
  }

  async #askLegs(
    { workspaceId, base, mode, terms, vector, allowed }: Question,
    limit: number,
  ): Promise<{ candidates: Candidate[]; terms: WeighedTerm[] }> {
    const { keywords, vectors } = this.#parts
    const [keyword, semantic] = await Promise.all([
      mode === 'semantic'
        ? undefined
        : keywords.search(workspaceId, base.generation.id, terms, limit, allowed && (id => allowed.has(id))),
      mode === 'keyword' ? undefined : vectors.search(workspaceId, base.generation, vector!, limit, allowed),
    ])
    const candidates = fuseRanks({
      ...(keyword && { keyword: keyword.hits }),
      ...(semantic && {
        semantic: semantic.map(hit => ({ ...hit, score: Math.min(1, Math.max(0, hit.similarity)) })),
      }),
    })
    return { candidates, terms: keyword?.terms ?? [] }
  }

  async #fetch(question: Question, candidates: Candidate[], wanted: number): Promise<FoundItem[]> {
    const { workspaceId, base, filter, allowed } = question
    const found: FoundItem[] = []
    let count = wanted + 10
    for (let start = 0; start < candidates.length && found.length < wanted; start += count) {
      if (start > 0) count = 500
      const some = candidates.slice(start, start + count)
      const chunks = await this.#parts.chunks.fetch(workspaceId, base.generation.id, some)
      const byAddress = new Map(chunks.map(chunk => [addressKey(chunk), chunk]))
      for (const candidate of some) {
        const chunk = byAddress.get(addressKey(candidate))
        if (chunk && (allowed || !filter || matchesFilter(chunk, filter)))
          found.push(itemOf(candidate, chunk))
      }
    }
    return found.slice(0, wanted)
  }

  async #rerank(query: string, items: FoundItem[]): Promise<FoundItem[]> {
    if (items.length === 0) return items
    const some = items.slice(0, rerankedAtMost)
    try {
      const ranked = await this.#parts.reranker!.rerank(
        query,
        some.map(({ chunk }) => [...chunk.heading, chunk.content].join('\n')),
      )
      return ranked.map(({ index, score }) => {
        const item = some[index]!
        return { ...item, score, scores: { ...item.scores, rerank: score } }
      })
    } catch (error) {
      if (error instanceof ModelFailure) throw new AppError('model_failed', error.message, { cause: error })
      throw error
    }
  }
}

/** Words that stand nearly everywhere would light up everything. */
function tellingTerms(terms: WeighedTerm[]): string[] {
  const rarest = terms[0]?.weight ?? 0
  return terms.filter(({ weight }) => weight >= rarest * 0.3).map(({ term }) => term)
}

const itemOf = (candidate: Candidate, chunk: FoundChunk): FoundItem => ({
  chunk,
  candidate,
  score: candidate.score,
  scores: {
    ...(candidate.keyword && { keyword: candidate.keyword.score }),
    ...(candidate.semantic && { semantic: candidate.semantic.score }),
  },
  highlights: [],
})
