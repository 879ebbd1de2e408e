import type { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { checkFileName } from '../../files/file-name.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type { NewDocuments } from '../../knowledge/document-service.ts'
import type { Retrieval } from '../../knowledge/knowledge-base.ts'
import type { KnowledgePatch } from '../../knowledge/knowledge-service.ts'
import type { SearchRequest } from '../../knowledge/search/search-request.ts'
import type { Call } from '../route.ts'
import { checkedMetadata } from './checked-metadata.ts'
import { filterConditions } from './filter-conditions.ts'

type Settings = Call<typeof operations.update>['body']
type SentChunking = NonNullable<Settings['chunking']>
type SentRetrieval = NonNullable<Settings['retrieval']>

/** Only what was sent: what is left out must not take the place of what is stored. */
const present = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>

function refuseBlank(text: string | undefined, pointer: string): void {
  if (text?.trim() === '') throw invalidField(pointer, 'must not be only white space')
}

// Member by member, so that fields nobody knows are never stored.
const chunkingOf = ({ strategy, size, overlap, separators }: SentChunking): Partial<Chunking> =>
  present({ strategy, size, overlap, separators })

const retrievalOf = ({ mode, top_k, score_threshold, rerank }: SentRetrieval): Partial<Retrieval> =>
  present({ mode, topK: top_k, scoreThreshold: score_threshold, rerank })

export function knowledgePatch(body: Settings): KnowledgePatch {
  refuseBlank(body.name, '/name')
  return present({
    name: body.name,
    description: body.description,
    chunking: body.chunking && chunkingOf(body.chunking),
    embedding: body.embedding && present({ model: body.embedding.model }),
    retrieval: body.retrieval && retrievalOf(body.retrieval),
    metadata: body.metadata && checkedMetadata(body.metadata),
  })
}

export function newDocuments(body: Call<typeof operations.add>['body']): NewDocuments {
  const { file_ids: fileIds = [], texts = [] } = body
  if (fileIds.length === 0 && texts.length === 0)
    throw invalidField('/file_ids', 'is required, unless /texts is given; name at least one document')
  for (const [at, { name }] of texts.entries()) checkFileName(name, `/texts/${at}/name`)
  return {
    fileIds,
    texts: texts.map(({ name, content }) => ({ name, content })),
    ...(body.chunking && { chunking: chunkingOf(body.chunking) }),
    ...(body.metadata && { metadata: checkedMetadata(body.metadata) }),
  }
}

/** The files whose absence is to be explained: the one that is named for that, and those the search is limited to. */
function explainedFiles({ explain, file_ids = [] }: Call<typeof operations.search>['body']): string[] {
  const named = typeof explain === 'object' ? [explain.file_id] : []
  return [...new Set([...named, ...file_ids])]
}

export function searchRequest(body: Call<typeof operations.search>['body']): SearchRequest {
  refuseBlank(body.query, '/query')
  const explain = body.explain !== undefined && body.explain !== false
  return {
    query: body.query,
    ...retrievalOf(body),
    ...(body.file_ids && { fileIds: body.file_ids }),
    ...(body.filter && { conditions: filterConditions(body.filter) }),
    ...(explain && { explain, explainFileIds: explainedFiles(body) }),
  }
}

export function correctionOf(body: Call<typeof operations.updateChunk>['body']) {
  const { content, enabled } = body
  if (content === undefined && enabled === undefined)
    throw invalidField('/content', 'is required, unless /enabled is given')
  refuseBlank(content, '/content')
  return present({ content, enabled })
}
