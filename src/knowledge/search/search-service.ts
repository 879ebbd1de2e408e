import { invalidField } from '../../kernel/app-error.ts'
import { inSlices } from '../../kernel/slices.ts'
import { failedModel, ModelFailure } from '../../models/model-failure.ts'
import type { Reranker } from '../../models/reranker.ts'
import type { FoundChunk } from '../chunk-store.ts'
import { dimensionChanged } from '../embedder.ts'
import type { WeighedTerm } from '../index/weigh-terms.ts'
import type { KnowledgeBase, SearchMode } from '../knowledge-base.ts'
import { matchesFilter } from '../metadata-filter.ts'
import { Highlighter } from '../text/highlights.ts'
import { queryTerms } from '../text/query-terms.ts'
import { subjectTerms } from '../text/text-terms.ts'
import { ChunkReader } from './chunk-reader.ts'
import { CopyFinder, demoteCopies } from './copies.ts'
import { explainAbsence } from './explain-absence.ts'
import { withFeedback } from './feedback.ts'
import { addressKey, type Candidate, fuseScores } from './fuse-scores.ts'
import { preferQuoted, quotedPhrases } from './quoted-phrases.ts'
import type { FoundItem, Query, SearchParts, SearchRequest, SearchResult } from './search-request.ts'
import { SimilarityBaseline } from './similarity-baseline.ts'

/** Minimum candidates per index. More than requested, since the best result overall may be the best of neither index. */
const minCandidates = 60
const maxCandidates = 1000
/** A filter that matches more batches is applied to the results instead of the index. */
const maxListedBatches = 2000
const maxReranked = 50
/** Passages that are compared with the phrases that a question quotes. */
const maxCompared = 100

export class SearchService {
  readonly #parts: SearchParts
  readonly #baseline: SimilarityBaseline

  constructor(parts: SearchParts) {
    this.#parts = parts
    this.#baseline = new SimilarityBaseline(parts.chunks)
  }

  async search(workspaceId: string, knowledgeId: string, request: SearchRequest): Promise<SearchResult> {
    const base = await this.#parts.bases.find(workspaceId, knowledgeId)
    const result = await this.searchIn(workspaceId, base, request)
    // A new index may have replaced this one during the search.
    if (result.items.length < (request.topK ?? base.retrieval.topK)) {
      const now = await this.#parts.bases.find(workspaceId, knowledgeId)
      if (now.generation.id !== base.generation.id) return this.search(workspaceId, knowledgeId, request)
    }
    return result
  }

  /** Searches with these settings in this generation, which need not be the live one. */
  async searchIn(workspaceId: string, base: KnowledgeBase, request: SearchRequest): Promise<SearchResult> {
    const startedAt = performance.now()
    let { query, warning } = await this.#prepare(workspaceId, base, request)
    const topK = request.topK ?? base.retrieval.topK
    const threshold = request.scoreThreshold ?? base.retrieval.scoreThreshold
    const reranker = await this.#rerankerFor(workspaceId, request, base)
    const phrases = quotedPhrases(request.query)
    const wanted = Math.max(topK, reranker ? maxReranked : 0, phrases.length > 0 ? maxCompared : 0)
    const recalled = await this.#recall(query, wanted)
    let ranked = await inSlices(preferQuoted(phrases, recalled.found, threshold))
    if (reranker)
      try {
        ranked = await rerank(reranker, workspaceId, query.text, ranked)
      } catch (error) {
        if (request.rerank || !(error instanceof ModelFailure)) failedModel(error)
        // A wrong setting of a base must not keep its agents from answering.
        warning = [...(warning ? [warning] : []), `Not reranked: ${error.message}`].join(' ')
      }
    const relevant = ranked.filter(item => item.score >= threshold)
    const items = demoteCopies(relevant, threshold).slice(0, topK)
    const highlighter = new Highlighter(distinctiveTerms(recalled.terms, query))
    for (const item of items) item.highlights = highlighter.rangesIn(item.chunk.content)
    return {
      mode: query.mode,
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
            absent: await explainAbsence(this.#parts, query, request, ranked, items, threshold),
          }
        : undefined,
    }
  }

  async #prepare(workspaceId: string, base: KnowledgeBase, request: SearchRequest) {
    const { embeddingModel } = base.generation
    const wanted = request.mode ?? base.retrieval.mode
    if (request.mode && request.mode !== 'keyword' && !embeddingModel)
      throw invalidField(
        '/mode',
        'this knowledge base has no embedding model; use the mode "keyword", or set its embedding',
      )
    let mode: SearchMode = embeddingModel ? (wanted ?? 'hybrid') : 'keyword'
    let vector: Float32Array | undefined
    let warning =
      wanted === 'semantic' && !embeddingModel
        ? 'Keyword search only: this knowledge base has no embedding model.'
        : undefined
    if (mode !== 'keyword') {
      try {
        vector = await this.#parts.embedder.embedQuery(workspaceId, embeddingModel!, request.query)
        const { dimension } = base.generation
        if (dimension !== null && vector.length !== dimension) throw dimensionChanged(vector.length)
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error
        if (request.mode === 'semantic') failedModel(error)
        // The keyword index still answers, which is better than no answer.
        mode = 'keyword'
        warning = `Keyword search only: ${error.message}`
      }
    }
    const { fileIds, conditions = [] } = request
    const filter = fileIds || conditions.length > 0 ? { fileIds, conditions } : undefined
    const allowed =
      filter && (await this.#parts.chunks.fewBatchesOf(workspaceId, base, filter, maxListedBatches))
    const terms = mode === 'semantic' && !request.explain ? new Map() : queryTerms(request.query)
    const reader = new ChunkReader(this.#parts.chunks, workspaceId, base.generation.id)
    return {
      query: { workspaceId, base, mode, text: request.query, terms, vector, filter, allowed, reader },
      warning,
    }
  }

  /** Undefined if the results are not reranked. */
  async #rerankerFor(
    workspaceId: string,
    request: SearchRequest,
    base: KnowledgeBase,
  ): Promise<Reranker | undefined> {
    if (!(request.rerank ?? base.retrieval.rerank)) return undefined
    const reranker = await this.#parts.models.reranker(workspaceId)
    if (request.rerank && !reranker)
      throw invalidField(
        '/rerank',
        'no reranker is configured; add a rerank model in Models, or set RERANK_BASE_URL and RERANK_MODEL',
      )
    return reranker
  }

  /** Asks for more than requested, again if too few are left: an index may hold deleted chunks, filters apply later. */
  async #recall(query: Query, wanted: number): Promise<{ found: FoundItem[]; terms: WeighedTerm[] }> {
    for (let limit = Math.max(minCandidates, wanted * 2); limit < maxCandidates; limit *= 4) {
      const { candidates, terms } = await this.#findCandidates(query, limit)
      const found = await this.#fetch(query, candidates, wanted)
      if (found.length >= wanted || candidates.length < limit) return { found, terms }
    }
    // Almost all candidates were excluded. Listing every matching batch is slow, but misses nothing.
    const { workspaceId, base, filter = { fileIds: undefined, conditions: [] } } = query
    const allowed = await this.#parts.chunks.batchesOf(workspaceId, base, filter)
    const { candidates, terms } = await this.#findCandidates({ ...query, allowed }, maxCandidates)
    return { found: await this.#fetch(query, candidates, wanted), terms }
  }

  async #findCandidates(query: Query, limit: number) {
    const { workspaceId, base, mode, vector, allowed } = query
    const { vectors } = this.#parts
    const [keyword, semantic, relevance] = await Promise.all([
      mode === 'semantic' ? undefined : this.#searchKeywords(query, limit),
      mode === 'keyword' ? undefined : vectors.search(workspaceId, base.generation, vector!, limit, allowed),
      vector && this.#baseline.relevance(workspaceId, base.generation, vector),
    ])
    const candidates = fuseScores({
      ...(keyword && { keyword: keyword.hits }),
      ...(semantic && {
        semantic: semantic.map(hit => ({ ...hit, score: relevance!(hit.similarity) })),
      }),
    })
    return { candidates, terms: keyword?.terms ?? [] }
  }

  async #searchKeywords({ workspaceId, base, terms, allowed, reader }: Query, limit: number) {
    const { keywords } = this.#parts
    const generationId = base.generation.id
    const found = await keywords.search(workspaceId, generationId, terms, limit, allowed)
    const question = { workspaceId, generationId, terms }
    const hits = await withFeedback(keywords, question, found, sources => reader.read(sources))
    return { hits, terms: found.terms }
  }

  /** Loads at least as many items as wanted, not counting copies, if there are enough. */
  async #fetch(query: Query, candidates: Candidate[], wanted: number): Promise<FoundItem[]> {
    const { reader, filter, allowed } = query
    const found: FoundItem[] = []
    const copies = new CopyFinder()
    let originals = 0
    for (let start = 0; start < candidates.length && originals < wanted; ) {
      // Mostly the first ones suffice. Where copies or a filter leave too few of them, more are read each time.
      const some = candidates.slice(start, start + Math.min(500, wanted + start * 2))
      start += some.length
      const chunks = await reader.read(some)
      const byAddress = new Map(chunks.map(chunk => [addressKey(chunk), chunk]))
      for (const candidate of some) {
        const chunk = byAddress.get(addressKey(candidate))
        if (originals === wanted || !chunk) continue
        if (!allowed && filter && !matchesFilter(chunk, filter)) continue
        const copy = copies.add(chunk.content)
        if (copy === 0) originals++
        found.push(itemOf(candidate, chunk, copy))
      }
    }
    return found
  }
}

async function rerank(
  reranker: Reranker,
  workspaceId: string,
  query: string,
  items: FoundItem[],
): Promise<FoundItem[]> {
  if (items.length === 0) return items
  const some = items.slice(0, maxReranked)
  const texts = some.map(({ chunk }) => [...chunk.heading, chunk.content].join('\n'))
  const ranked = await reranker.rerank(query, texts, { workspaceId })
  return ranked.map(({ index, score }) => {
    const item = some[index]!
    return { ...item, score, scores: { ...item.scores, rerank: score } }
  })
}

/** Omits very common words, which would highlight everything, function words and requests, which are of no interest. */
function distinctiveTerms(terms: WeighedTerm[], query: Query): string[] {
  const subject = subjectTerms(query.text)
  const isShown = ({ term, insteadOf = term, isOtherForm }: WeighedTerm): boolean =>
    isOtherForm || (subject.has(insteadOf) && query.terms.get(insteadOf)?.unknownFactor !== 0)
  const shown = subject.size === 0 ? terms : terms.filter(isShown)
  const rarest = shown[0]?.weight ?? 0
  return shown.filter(({ weight }) => weight >= rarest * 0.3).map(({ term }) => term)
}

const itemOf = (candidate: Candidate, chunk: FoundChunk, copy: number): FoundItem => ({
  chunk,
  candidate,
  copy,
  score: candidate.score,
  scores: {
    ...(candidate.keyword && { keyword: candidate.keyword.score }),
    ...(candidate.semantic && { semantic: candidate.semantic.score }),
  },
  highlights: [],
})
