import type { KeywordHit } from '../index/keyword-index.ts'
import { matchesConditions } from './matches-filter.ts'
import type { Question, SearchParts } from './search-parts.ts'
import type { SearchItem, SearchRequest } from './search-request.ts'

/** So far down the list we look for a document that did not come up. */
const depth = 1000
/** Of more files at once nobody reads the reasons. */
const mostFiles = 20

/** For every file that the caller asked about and that is not among the items: where it was lost. */
export async function explainAbsence(
  parts: SearchParts,
  question: Question,
  request: SearchRequest,
  ranked: SearchItem[],
  items: SearchItem[],
  threshold: number,
): Promise<{ fileId: string; reason: string }[]> {
  const wanted = new Set([...(request.explainFileIds ?? []), ...(request.fileIds ?? [])])
  for (const item of items) wanted.delete(item.chunk.fileId)
  const absent: { fileId: string; reason: string }[] = []
  if (wanted.size === 0) return absent
  const { hits } = await parts.keywords.search(
    question.workspaceId,
    question.base.generation.id,
    question.terms,
    depth,
  )
  for (const fileId of [...wanted].slice(0, mostFiles)) {
    absent.push({ fileId, reason: await reasonFor(parts, question, ranked, hits, fileId, threshold) })
    // Each of them is several searches; other requests come in between.
    await new Promise(resolve => setImmediate(resolve))
  }
  return absent
}

async function reasonFor(
  parts: SearchParts,
  question: Question,
  ranked: SearchItem[],
  hits: KeywordHit[],
  fileId: string,
  threshold: number,
): Promise<string> {
  const { workspaceId, base, terms, vector, mode } = question
  const document = await parts.documents.find(workspaceId, base, fileId)
  if (!document) return 'It is not a document of this knowledge base.'
  const own = await parts.chunks.batchesOf(workspaceId, base, { fileIds: [fileId], conditions: [] })
  if (own.size === 0)
    return document.status === 'failed'
      ? `It could not be read: ${document.error?.message ?? 'no reason is known'}`
      : `It is not read yet; its status is ${document.status}.`
  if (question.filter) {
    const { fileIds, conditions } = question.filter
    const isLeft = (!fileIds || fileIds.includes(fileId)) && matchesConditions(document.metadata, conditions)
    if (!isLeft) return 'The filter leaves it out.'
  }
  const known = ranked.find(item => item.chunk.fileId === fileId)
  if (known && known.score < threshold)
    return `Its best passage has the score ${known.score.toFixed(3)}, below the threshold ${threshold}.`
  const isOwn = (batchId: string): boolean => own.has(batchId)
  const keyword =
    mode === 'semantic'
      ? undefined
      : await parts.keywords.search(workspaceId, base.generation.id, terms, 1, isOwn)
  const semantic =
    mode === 'keyword' ? undefined : await parts.vectors.search(workspaceId, base.generation, vector!, 1, own)
  const best = keyword?.hits[0]
  const nearest = semantic?.[0]
  if (!best && !nearest) return 'None of its passages holds any word of the question.'
  const shown = await parts.chunks.fetch(
    workspaceId,
    base.generation.id,
    [best, nearest].flatMap(hit => hit ?? []),
  )
  if (shown.length === 0) return 'Its best passage is disabled or was changed a moment ago.'
  const rank = mode === 'semantic' ? 0 : hits.findIndex(hit => isOwn(hit.batchId)) + 1
  const scores = [
    ...(best ? [`keyword score ${best.score.toFixed(3)}`] : []),
    ...(rank > 0 ? [`keyword rank ${rank}`] : []),
    ...(nearest ? [`similarity ${nearest.similarity.toFixed(3)}`] : []),
  ]
  return `Other passages fit better; its best one has ${scores.join(', ')}. A larger top_k would show it.`
}
