import type { AbsenceCode } from '../../contract/knowledge-search.ts'
import { nextTurn } from '../../kernel/pause.ts'
import type { KeywordHit } from '../index/keyword-index.ts'
import { matchesFilter } from '../metadata-filter.ts'
import type { Absence, Query, SearchItem, SearchParts, SearchRequest } from './search-request.ts'

/** The rank of an absent document is looked up among this many keyword hits. */
const depth = 1000
/** Each file costs several searches. */
const maxFiles = 20

/** Finds the stage at which each requested file without a result was lost. */
export async function explainAbsence(
  parts: SearchParts,
  query: Query,
  request: SearchRequest,
  ranked: SearchItem[],
  items: SearchItem[],
  threshold: number,
): Promise<Absence[]> {
  const wanted = new Set([...(request.explainFileIds ?? []), ...(request.fileIds ?? [])])
  for (const item of items) wanted.delete(item.chunk.fileId)
  const absent: Absence[] = []
  if (wanted.size === 0) return absent
  const { hits } = await parts.keywords.search(
    query.workspaceId,
    query.base.generation.id,
    query.terms,
    depth,
  )
  for (const fileId of [...wanted].slice(0, maxFiles)) {
    const [code, reason] = await reasonFor(parts, query, ranked, hits, fileId, threshold)
    absent.push({ fileId, code, reason })
    // Lets other requests run between the searches.
    await nextTurn()
  }
  return absent
}

async function reasonFor(
  parts: SearchParts,
  query: Query,
  ranked: SearchItem[],
  hits: KeywordHit[],
  fileId: string,
  threshold: number,
): Promise<[AbsenceCode, reason: string]> {
  const { workspaceId, base, terms, vector, mode } = query
  const document = await parts.documents.find(workspaceId, base, fileId)
  if (!document) return ['not_in_base', 'The file is not a document of this knowledge base.']
  const own = await parts.chunks.batchesOf(workspaceId, base, { fileIds: [fileId], conditions: [] })
  if (own.size === 0)
    return document.status === 'failed'
      ? [
          'processing_failed',
          `It could not be processed: ${document.error?.message ?? 'the reason is unknown'}`,
        ]
      : ['not_indexed', `It is not indexed yet; its status is ${document.status}.`]
  if (query.filter && !matchesFilter(document, query.filter))
    return ['filtered_out', 'The filter excludes it.']
  const known = ranked.find(item => item.chunk.fileId === fileId)
  if (known && known.score < threshold) return belowThreshold(known.score, threshold)
  const keyword =
    mode === 'semantic'
      ? undefined
      : await parts.keywords.search(workspaceId, base.generation.id, terms, 1, own)
  const semantic =
    mode === 'keyword' ? undefined : await parts.vectors.search(workspaceId, base.generation, vector!, 1, own)
  const best = keyword?.hits[0]
  const nearest = semantic?.[0]
  if (!best && !nearest) return ['no_match', 'None of its passages contains a word of the query.']
  const shown = await parts.chunks.fetch(
    workspaceId,
    base.generation.id,
    [best, nearest].flatMap(hit => hit ?? []),
  )
  if (shown.length === 0) return ['disabled', 'Its best passage is disabled or was just changed.']
  // The other scores depend on the passages that they are compared with.
  const isFinal = mode === 'keyword' && ranked.every(({ scores }) => scores.rerank === undefined)
  if (best && isFinal && best.score < threshold) return belowThreshold(best.score, threshold)
  const rank = mode === 'semantic' ? 0 : hits.findIndex(hit => own.has(hit.batchId)) + 1
  const scores = [
    ...(best ? [`keyword score ${best.score.toFixed(3)}`] : []),
    ...(rank > 0 ? [`keyword rank ${rank}`] : []),
    ...(nearest ? [`similarity ${nearest.similarity.toFixed(3)}`] : []),
  ]
  const advice = isFinal || threshold === 0 ? ' A larger top_k would show it.' : ''
  return ['ranked_lower', `Other passages rank higher; its best one has ${scores.join(', ')}.${advice}`]
}

const belowThreshold = (score: number, threshold: number): [AbsenceCode, reason: string] => [
  'below_threshold',
  `Its best passage has the score ${score.toFixed(3)}, below the threshold ${threshold}.`,
]
