import { array, boolean, choice, optional, text } from './fields.ts'
import { chunkPreview, previewBody } from './knowledge-preview.ts'
import { chunkId, documentId, documentStatuses, knowledgeId, schemaRef } from './knowledge-records.ts'
import { searchBody, searchData } from './knowledge-search.ts'
import {
  chunkingInput,
  embeddingInput,
  goldenMaxLost,
  knowledgeDescription,
  knowledgeName,
  metadataInput,
  retrievalInput,
} from './knowledge-settings.ts'
import { documentView, viewQuery } from './knowledge-view.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'
import { usersOf } from './used-by.ts'

const settings = optional({
  description: knowledgeDescription,
  chunking: chunkingInput,
  embedding: embeddingInput,
  retrieval: retrievalInput,
  metadata: metadataInput('Your own metadata, by key.'),
  golden_max_lost: goldenMaxLost,
})

const skipped = array(
  Type.Object({
    file_id: documentId,
    reason: choice(['not_found', 'already_added', 'in_progress'], 'Reason.'),
  }),
  'Files that were skipped, with the reason.',
  { example: [] },
)

const keyword = (description: string) => Type.Optional(text(description, [0, limits.nameLength]))

const base = `${basePath}/knowledge/{knowledge_id}` as const
const params = Type.Object({ knowledge_id: knowledgeId })
const documentParams = Type.Object({ knowledge_id: knowledgeId, file_id: documentId })

export const knowledgeOperations = defineOperations('knowledge', {
  create: {
    access: 'write',
    changes: { id: 'data.knowledge_id', shows: ['name'] },
    summary: 'Create a knowledge base',
    details: 'Only the name is required. A name that already exists is rejected with already_exists.',
    body: Type.Object({ name: knowledgeName, ...settings }),
    creates: true,
    data: schemaRef('KnowledgeBase'),
    example: {
      name: 'Handbook',
      description: 'How we work',
      chunking: { strategy: 'auto', size: 512, overlap: 64 },
      retrieval: { top_k: 5 },
      metadata: { language: 'en' },
    },
  },
  list: {
    path: `${basePath}/knowledge`,
    access: 'read',
    summary: 'List knowledge bases, most recently updated first',
    body: Type.Object({
      keyword: keyword('Part of the name or description.'),
      knowledge_ids: Type.Optional(
        array(knowledgeId, 'Only knowledge bases with these ids.', { min: 1, max: 100 }),
      ),
      ...pagingFields,
    }),
    data: pageOf(schemaRef('KnowledgeBase')),
    example: { keyword: 'hand', page: 1, page_size: 20 },
  },
  get: {
    method: 'GET',
    path: base,
    access: 'read',
    summary: 'Get a knowledge base',
    params,
    data: schemaRef('KnowledgeBase'),
  },
  add: {
    path: base,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_ids'], inOneTransaction: true },
    summary: 'Add documents to a knowledge base',
    details:
      'Send `file_ids`, `texts` or both. A text is stored as a file. Ingestion runs in the background: poll the `status` of the documents; they can be searched once it is ready.',
    params,
    body: Type.Object(
      optional({
        file_ids: array(documentId, 'Uploaded files.', { max: limits.documentsPerCall }),
        texts: array(
          Type.Object({
            name: text('File name; its extension determines the format.', [1, limits.nameLength], {
              example: 'holidays.md',
            }),
            content: text('The text.', [1, limits.documentTextLength]),
          }),
          'Texts to add as documents.',
          { max: limits.documentsPerCall },
        ),
        chunking: chunkingInput,
        metadata: metadataInput('Your own metadata for each of these documents, for filters.'),
      }),
    ),
    bodyLimit: limits.knowledgeBytes,
    creates: true,
    data: Type.Object({ items: array(schemaRef('Document'), 'The documents that were added.'), skipped }),
    example: {
      texts: [{ name: 'holidays.md', content: '# Holidays\n\nEverybody has 30 days of holiday.' }],
      metadata: { language: 'en', year: 2026 },
    },
  },
  rebind: {
    path: `${base}/rebind`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_ids'] },
    summary: 'Re-process documents',
    details:
      'Without `file_ids`, all failed documents. The existing chunks of a document stay searchable until it is done.',
    params,
    body: Type.Object({
      file_ids: Type.Optional(
        array(documentId, 'Documents to re-process, whatever their status.', {
          min: 1,
          max: limits.documentsPerCall,
        }),
      ),
    }),
    data: Type.Object({ accepted: array(documentId, 'Documents that were queued.'), skipped }),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  files: {
    method: 'GET',
    path: `${base}/files`,
    access: 'read',
    summary: 'List the documents of a knowledge base, newest first',
    params,
    query: Type.Object({
      status: Type.Optional(choice(documentStatuses, 'Only documents with this status.')),
      keyword: keyword('Part of the file name.'),
      ...pagingFields,
    }),
    data: pageOf(schemaRef('Document')),
  },
  deleteFile: {
    path: `${base}/files/{file_id}/delete`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_id'] },
    summary: 'Remove a document from a knowledge base',
    details: 'The document no longer appears in searches. Its file is kept.',
    params: documentParams,
    data: Type.Object({}),
  },
  search: {
    path: `${base}/search`,
    access: 'read',
    summary: 'Search a knowledge base',
    details: 'Options that are not sent are taken from the `retrieval` settings of the knowledge base.',
    params,
    body: searchBody,
    data: searchData,
    example: {
      query: 'How many days of holiday?',
      top_k: 5,
      filter: { language: 'en', year: { gte: 2025 } },
      explain: true,
    },
  },
  update: {
    path: `${base}/update`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['name'] },
    summary: 'Update a knowledge base',
    details:
      'Fields that are not sent keep their values; `metadata` is replaced as a whole. Changing chunking or embedding builds a new index in the background; searches use the old one until it is complete and the golden questions of the base are still found (see `golden_check`).',
    params,
    body: Type.Object({ name: Type.Optional(knowledgeName), ...settings }),
    data: schemaRef('KnowledgeBase'),
    example: { description: 'How we work, and why', retrieval: { top_k: 8 } },
  },
  usedBy: {
    method: 'GET',
    path: `${base}/used_by`,
    access: 'read',
    summary: 'List what uses a knowledge base',
    details: `Agents and workflows (by their newest or published version), up to ${limits.usersPerKind} of each kind. An id that a template computes is not found.`,
    params,
    data: usersOf(['agent', 'workflow']),
  },
  delete: {
    path: `${base}/delete`,
    access: 'write',
    changes: { id: 'params.knowledge_id' },
    summary: 'Delete a knowledge base with its index',
    details:
      'The files of its documents are kept. Agents that use it find nothing in it any more, and steps of workflows that search it fail.',
    params,
    data: Type.Object({}),
  },
  chunks: {
    method: 'GET',
    path: `${base}/files/{file_id}/chunks`,
    access: 'read',
    summary: 'List the chunks of a document, in document order',
    params: documentParams,
    query: Type.Object(pagingFields),
    data: pageOf(schemaRef('Chunk')),
  },
  view: {
    method: 'GET',
    path: `${base}/files/{file_id}/view`,
    access: 'read',
    summary: 'Show a document with a passage highlighted',
    details:
      'What a viewer needs: for a PDF the pages of the passage with its boxes, and for every format the text of the document, page by page.',
    params: documentParams,
    query: viewQuery,
    data: documentView,
  },
  preview: {
    path: `${base}/preview`,
    access: 'write',
    summary: 'Preview the chunks of a file before it is indexed',
    details:
      'Reads and splits an uploaded file, or the file of a document, with the given chunking; settings that are not sent are those of the knowledge base. Nothing is stored. It takes at most 20 seconds and does not recognise text in images.',
    params,
    body: previewBody,
    data: chunkPreview,
    example: { file_id: 'file_Zk3xV0m2q1c5b7n9d1f3gA', chunking: { size: 256, separators: ['\n\n'] } },
  },
  createChunk: {
    path: `${base}/files/{file_id}/chunks/create`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_id'] },
    summary: 'Add a passage to a document by hand',
    details:
      'The passage can be found and cited at once, comes after the chunks of the document, keeps its id, and stays when the document is re-processed. The document must be ready.',
    params: documentParams,
    body: Type.Object({ content: text('The text.', [1, limits.manualPassageLength]) }),
    creates: true,
    data: schemaRef('Chunk'),
    example: { content: 'In the year of the anniversary everybody has two more days.' },
  },
  deleteChunk: {
    path: `${base}/files/{file_id}/chunks/{chunk_id}/delete`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_id', 'chunk_id'] },
    summary: 'Delete a passage that was added by hand',
    details: 'Chunks of the document itself can only be excluded from searches.',
    params: Type.Object({ knowledge_id: knowledgeId, file_id: documentId, chunk_id: chunkId }),
    data: Type.Object({}),
  },
  updateChunk: {
    path: `${base}/files/{file_id}/chunks/{chunk_id}/update`,
    access: 'write',
    changes: { id: 'params.knowledge_id', shows: ['file_id', 'chunk_id', 'enabled'] },
    summary: 'Edit a chunk, or exclude it from searches',
    details:
      'Send `content`, `enabled` or both. An edit is lost when the document is re-processed, unless the chunk was added by hand.',
    params: Type.Object({ knowledge_id: knowledgeId, file_id: documentId, chunk_id: chunkId }),
    body: Type.Object(
      optional({
        content: text('The new text.', [1, limits.chunkTextLength]),
        enabled: boolean('Whether searches can return the chunk.'),
      }),
    ),
    data: schemaRef('Chunk'),
    example: { content: 'Everybody has 31 days of holiday.' },
  },
})
