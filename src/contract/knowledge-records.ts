import type { Static } from 'typebox'
import { array, boolean, choice, count, id, numberIn, orNull, string, time } from './fields.ts'
import {
  chunkingRecord,
  embeddingRecord,
  goldenMaxLost,
  knowledgeDescription,
  knowledgeName,
  metadataRecord,
  retrievalRecord,
} from './knowledge-settings.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const knowledgeId = id('Knowledge base id.', 'kb_Zk3xV0m2q1c5b7n9d1f3gA')
export const documentId = id('Id of the file of the document.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
export const chunkId = id('Chunk id.', 'chunk_Zk3xV0m2q1c5b7n9d1f3gA_0')

/** Where a document is from. */
export const sourceUrl = orNull(
  Type.String(),
  'Address of the web page that the document is; null for other documents.',
  null,
)

/** `disabled` is part of the interface; no operation of this version sets it. */
export const documentStatuses = [
  'queued',
  'parsing',
  'chunking',
  'embedding',
  'ready',
  'failed',
  'disabled',
] as const

const base = Type.Object(
  {
    knowledge_id: knowledgeId,
    name: knowledgeName,
    description: knowledgeDescription,
    chunking: chunkingRecord,
    embedding: embeddingRecord,
    retrieval: retrievalRecord,
    metadata: metadataRecord,
    status: choice(
      ['ready', 'indexing'],
      'indexing while documents are queued or being processed, or while a new index is built.',
      { example: 'ready' },
    ),
    document_count: count('Number of documents.', 2),
    chunk_count: count('Number of searchable chunks.', 31),
    failed_count: count('Number of documents that failed.', 0),
    reindexing: orNull(
      Type.Object({
        total: count('Documents to re-index.', 2),
        done: count('Documents processed so far, including failed ones.', 1),
        failed: count('Documents that failed.', 0),
      }),
      'Progress of re-indexing after a change of chunking or embedding; otherwise null.',
      null,
    ),
    golden_max_lost: goldenMaxLost,
    golden_check: orNull(
      Type.Object({
        run_id: id('Id of the run.', 'grun_Zk3xV0m2q1c5b7n9d1f3gA'),
        reason: choice(['index', 'retrieval'], 'A new index, or new search options.'),
        status: choice(
          ['queued', 'running', 'lost'],
          'lost: golden questions are no longer found. Accept or discard the run; until then the old index is searched.',
        ),
        lost: count('Golden questions that were found before and are not now.', 1),
        total: count('Golden questions that were asked.', 20),
        error: string('Why they could not be asked yet; empty if they could.', ''),
      }),
      'The check of a change of settings by golden questions, while it runs or waits for a decision; otherwise null.',
      null,
    ),
    created_at: time('Creation time.'),
    updated_at: time('Time of the last settings change.'),
  },
  { description: 'A knowledge base: a set of searchable documents.' },
)

const document = Type.Object(
  {
    file_id: documentId,
    name: string('File name.', 'hello.txt'),
    mime_type: string('MIME type of the file.', 'text/plain'),
    size: count('Size of the file in bytes.', 14),
    source_url: sourceUrl,
    status: choice(documentStatuses, 'Ingestion status. The document can be searched once it is ready.', {
      example: 'ready',
    }),
    progress: numberIn('Ingestion progress, from 0 to 1.', [0, 1], { example: 1 }),
    chunk_count: count('Number of chunks.', 1),
    attempts: count('Number of ingestion attempts.', 1),
    recognition: orNull(
      Type.Object({
        pages_done: count('Pages whose text was recognised.', 3),
        pages_total: count('Pages without text of their own.', 12),
      }),
      'Text recognition of scanned pages and images; null where the document has none.',
      null,
    ),
    error: orNull(
      Type.Object({
        code: string('Machine-readable failure code.', 'no_text'),
        message: string('What is wrong and what to do.'),
        retryable: boolean('Whether a retry without changes may succeed.'),
      }),
      'Why ingestion failed; null if it did not.',
      null,
    ),
    warnings: array(
      Type.Object({
        code: string(
          'Machine-readable code. recognition_not_configured: these pages have no text, and no text recognition is set up; broken_file: these pages are damaged.',
          'recognition_not_configured',
        ),
        message: string('What is missing and what to do.'),
        page_count: count('Number of pages that were not read.', 2),
        pages: array(Type.Integer(), `Their numbers, from 1; the first ${limits.warningPages}.`, {
          example: [3, 7],
        }),
      }),
      'What is missing in a document that is ready; empty if nothing is.',
      { example: [] },
    ),
    metadata: metadataRecord,
    created_at: time('Time when the document was added.'),
    updated_at: time('Time of the last status change.'),
    indexed_at: orNull(
      time('Time when it became searchable.'),
      'Time when it became searchable; null before that.',
    ),
  },
  { description: 'A document of a knowledge base, with its ingestion status.' },
)

const offsets = array(
  Type.Integer(),
  'Start and end offsets in the text of the document, in UTF-16 code units.',
  { min: 2, max: 2, example: [0, 13] },
)

/** Position of a chunk in its document, the same in chunk lists and search results. */
export const chunkPlace = {
  position: count('Position in the document, from 0.', 0),
  heading: array(Type.String(), 'Headings above the chunk, outermost first.', { example: ['Holidays'] }),
  page: orNull(Type.Integer(), 'Page or slide number, from 1; null if the format has none.', null),
  last_page: orNull(
    Type.Integer(),
    'Page where the chunk ends; the same as `page` if it is on one page.',
    null,
  ),
  sheet: orNull(Type.String(), 'Sheet of a workbook; null for other formats.', null),
  offsets,
}

export const chunkContent = string('The text of the chunk.', 'Hello banyan.')

const chunk = Type.Object(
  {
    chunk_id: chunkId,
    content: chunkContent,
    ...chunkPlace,
    tokens: count('Number of tokens.', 4),
    enabled: boolean('Whether searches can return the chunk.', true),
    edited: boolean('Whether it was edited.', false),
    manual: boolean('Whether a user added it; it is not in the file.', false),
  },
  { description: 'One passage of a document.' },
)

export const knowledgeSchemas = { KnowledgeBase: base, Document: document, Chunk: chunk }

export const schemaRef = <Name extends keyof typeof knowledgeSchemas>(name: Name) =>
  Type.Unsafe<Static<(typeof knowledgeSchemas)[Name]>>({ type: 'object', 'x-schema': name })
