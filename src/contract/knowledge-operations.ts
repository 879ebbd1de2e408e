import Type from 'typebox'
import { chunkId, documentId, documentStatuses, knowledgeId, shown } from './knowledge-records.ts'
import { searchBody, searchData } from './knowledge-search.ts'
import {
  chunkingInput,
  embeddingInput,
  knowledgeDescription,
  knowledgeName,
  metadataInput,
  retrievalInput,
} from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { text } from './text.ts'

const settings = {
  description: Type.Optional(knowledgeDescription),
  chunking: Type.Optional(chunkingInput),
  embedding: Type.Optional(embeddingInput),
  retrieval: Type.Optional(retrievalInput),
  metadata: Type.Optional(metadataInput('Your own words on it, by key.')),
}

const skipped = Type.Array(
  Type.Object({
    file_id: documentId,
    reason: Type.Enum(['not_found', 'already_added', 'in_progress'], { description: 'Why.' }),
  }),
  { description: 'Files that nothing was done for, and why.', examples: [[]] },
)

const keyword = (description: string) => Type.Optional(text({ maxLength: limits.nameLength, description }))

const common = { family: 'knowledge' } as const
const base = `${basePath}/knowledge/{knowledge_id}` as const
const params = Type.Object({ knowledge_id: knowledgeId })
const documentParams = Type.Object({ knowledge_id: knowledgeId, file_id: documentId })

export const knowledgeOperations = {
  create: {
    ...common,
    name: 'knowledge.create',
    method: 'POST',
    path: `${basePath}/knowledge/create`,
    access: 'write',
    summary: 'Create a knowledge base',
    details: 'All but the name may be left out. A name that is taken is refused with already_exists.',
    body: Type.Object({ name: knowledgeName, ...settings }),
    creates: true,
    data: shown('KnowledgeBase'),
    example: {
      name: 'Handbook',
      description: 'How we work',
      chunking: { strategy: 'auto', size: 512, overlap: 64 },
      retrieval: { top_k: 5 },
      metadata: { language: 'en' },
    },
  },
  list: {
    ...common,
    name: 'knowledge.list',
    method: 'POST',
    path: `${basePath}/knowledge`,
    access: 'read',
    summary: 'List knowledge bases, the last changed first',
    body: Type.Object({
      keyword: keyword('Part of the name or of the description.'),
      knowledge_ids: Type.Optional(
        Type.Array(knowledgeId, { minItems: 1, maxItems: 100, description: 'Only these.' }),
      ),
      ...pagingFields,
    }),
    data: pageOf(shown('KnowledgeBase')),
    example: { keyword: 'hand', page: 1, page_size: 20 },
  },
  get: {
    ...common,
    name: 'knowledge.get',
    method: 'GET',
    path: base,
    access: 'read',
    summary: 'Get a knowledge base',
    params,
    data: shown('KnowledgeBase'),
  },
  add: {
    ...common,
    name: 'knowledge.add',
    method: 'POST',
    path: base,
    access: 'write',
    summary: 'Add documents to a knowledge base',
    details:
      'Send `file_ids`, `texts` or both. A text becomes a file like any other. Documents are read in the background: look at their `status`; they can be found once it is ready.',
    params,
    body: Type.Object({
      file_ids: Type.Optional(
        Type.Array(documentId, { maxItems: limits.documentsPerCall, description: 'Uploaded files.' }),
      ),
      texts: Type.Optional(
        Type.Array(
          Type.Object({
            name: text({
              minLength: 1,
              maxLength: limits.nameLength,
              description: 'File name; its ending tells how the text is read.',
              examples: ['holidays.md'],
            }),
            content: text({
              minLength: 1,
              maxLength: limits.documentTextLength,
              description: 'The text itself.',
            }),
          }),
          { maxItems: limits.documentsPerCall, description: 'Texts that are not files yet.' },
        ),
      ),
      chunking: Type.Optional(chunkingInput),
      metadata: Type.Optional(metadataInput('Your own words on each of these documents, for filters.')),
    }),
    bodyLimit: limits.knowledgeBytes,
    creates: true,
    data: Type.Object({
      items: Type.Array(shown('Document'), { description: 'The documents that were added.' }),
      skipped,
    }),
    example: {
      texts: [{ name: 'holidays.md', content: '# Holidays\n\nEverybody has 30 days of holiday.' }],
      metadata: { language: 'en', year: 2026 },
    },
  },
  rebind: {
    ...common,
    name: 'knowledge.rebind',
    method: 'POST',
    path: `${base}/rebind`,
    access: 'write',
    summary: 'Read documents again',
    details:
      'Without `file_ids`, all that failed. What was found of a document stays until it is read again.',
    params,
    body: Type.Object({
      file_ids: Type.Optional(
        Type.Array(documentId, {
          minItems: 1,
          maxItems: limits.documentsPerCall,
          description: 'Documents to read again, whatever their status.',
        }),
      ),
    }),
    data: Type.Object({
      accepted: Type.Array(documentId, { description: 'Documents that are in the queue now.' }),
      skipped,
    }),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  files: {
    ...common,
    name: 'knowledge.files',
    method: 'GET',
    path: `${base}/files`,
    access: 'read',
    summary: 'List the documents of a knowledge base, newest first',
    params,
    query: Type.Object({
      status: Type.Optional(Type.Enum([...documentStatuses], { description: 'Only those that are so far.' })),
      keyword: keyword('Part of the name or of the description.'),
      ...pagingFields,
    }),
    data: pageOf(shown('Document')),
  },
  deleteFile: {
    ...common,
    name: 'knowledge.deleteFile',
    method: 'POST',
    path: `${base}/files/{file_id}/delete`,
    access: 'write',
    summary: 'Take a document out of a knowledge base',
    details: 'It is gone from every search at once. The file itself stays.',
    params: documentParams,
    data: Type.Object({}),
  },
  search: {
    ...common,
    name: 'knowledge.search',
    method: 'POST',
    path: `${base}/search`,
    access: 'read',
    summary: 'Search a knowledge base',
    details: 'What is left out is taken from the `retrieval` of the knowledge base.',
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
    ...common,
    name: 'knowledge.update',
    method: 'POST',
    path: `${base}/update`,
    access: 'write',
    summary: 'Change a knowledge base',
    details:
      'Only what is sent changes; `metadata` is replaced as a whole. A change of chunking or embedding indexes everything anew beside what is there, which is searched until that is done.',
    params,
    body: Type.Object({ name: Type.Optional(knowledgeName), ...settings }),
    data: shown('KnowledgeBase'),
    example: { description: 'How we work, and why', retrieval: { top_k: 8 } },
  },
  delete: {
    ...common,
    name: 'knowledge.delete',
    method: 'POST',
    path: `${base}/delete`,
    access: 'write',
    summary: 'Delete a knowledge base with its index',
    details: 'It cannot be found from then on. The files that its documents were made of stay.',
    params,
    data: Type.Object({}),
  },
  chunks: {
    ...common,
    name: 'knowledge.chunks',
    method: 'GET',
    path: `${base}/files/{file_id}/chunks`,
    access: 'read',
    summary: 'Look at the chunks of a document, in its order',
    params: documentParams,
    query: Type.Object({ ...pagingFields }),
    data: pageOf(shown('Chunk')),
  },
  updateChunk: {
    ...common,
    name: 'knowledge.updateChunk',
    method: 'POST',
    path: `${base}/files/{file_id}/chunks/{chunk_id}/update`,
    access: 'write',
    summary: 'Correct a chunk, or keep it out of searches',
    details: 'Send `content`, `enabled` or both. A correction lasts until the document is read again.',
    params: Type.Object({ knowledge_id: knowledgeId, file_id: documentId, chunk_id: chunkId }),
    body: Type.Object({
      content: Type.Optional(
        text({ minLength: 1, maxLength: limits.chunkTextLength, description: 'The right text.' }),
      ),
      enabled: Type.Optional(Type.Boolean({ description: 'Whether it can be found.' })),
    }),
    data: shown('Chunk'),
    example: { content: 'Everybody has 31 days of holiday.' },
  },
} as const satisfies Record<string, Operation>
