import { Query, type SqlValue } from '../database/sql.ts'
import {
  bytes,
  type ColumnType,
  flag,
  integer,
  json,
  optional,
  real,
  table,
  text,
} from '../database/table.ts'
import type { Chunking } from './chunking.ts'
import type { PageBoxes } from './ingest/block.ts'
import type { DocumentWarning } from './ingest/document-warning.ts'
import type { DocumentError, DocumentStatus, Metadata, Retrieval } from './knowledge-base.ts'

/** NULL stays null in records: a base without an embedding model was set up that way. */
const nullable = <Value>({ stored }: ColumnType<Value>): ColumnType<Value | null> => ({
  stored,
  isOptional: true,
})

/** 32-bit floats. They are copied when read, since bytes of a driver may be misaligned. */
const floats = (): ColumnType<Float32Array> => ({
  stored: 'bytes',
  encode: vector => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  decode: stored => new Float32Array(Uint8Array.from(stored as Uint8Array).buffer),
})

export const knowledgeBases = table('knowledge_bases', {
  workspaceId: text(),
  id: text(),
  name: text(),
  search: text(),
  description: text(),
  chunking: json<Chunking>(),
  embeddingModel: nullable(text()),
  retrieval: json<Retrieval>(),
  metadata: json<Metadata>(),
  goldenMaxLost: nullable(integer()),
  generationId: text(),
  nextGenerationId: optional(text()),
  createdAt: integer(),
  updatedAt: integer(),
  deletedAt: optional(integer()),
})

export const generations = table('generations', {
  workspaceId: text(),
  id: text(),
  knowledgeId: text(),
  chunking: json<Chunking>(),
  embeddingModel: nullable(text()),
  /** Dimension of the vectors; known after the first one. */
  dimension: nullable(integer()),
  revision: integer(),
  gone: flag(),
})

export const documents = table('documents', {
  workspaceId: text(),
  knowledgeId: text(),
  fileId: text(),
  name: text(),
  search: text(),
  mimeType: text(),
  size: integer(),
  chunking: optional(json<Chunking>()),
  metadata: json<Metadata>(),
  createdAt: integer(),
  /** The address of a web page; undefined for other documents. */
  sourceUrl: optional(text()),
})

/** The metadata of documents, one row per value, so that filters can use an index. */
export const documentValues = table('document_values', {
  workspaceId: text(),
  knowledgeId: text(),
  fileId: text(),
  key: text(),
  textValue: optional(text()),
  numberValue: optional(real()),
})

/** The documents of a generation, counted by triggers; readers sum over the shards. */
export const generationCounts = table('generation_counts', {
  workspaceId: text(),
  generationId: text(),
  shard: integer(),
  documents: integer(),
  failed: integer(),
  /** Documents that are neither ready nor failed. */
  open: integer(),
  chunks: integer(),
})

/** Per document and generation. `dueAt`: when it may be claimed, or its lease ends. A re-index has priority 1. */
export const ingestionJobs = table('readings', {
  workspaceId: text(),
  generationId: text(),
  fileId: text(),
  knowledgeId: text(),
  status: text<DocumentStatus>(),
  progress: real(),
  chunkCount: integer(),
  attempts: integer(),
  /** Failed attempts since the job was queued. */
  retries: integer(),
  interruptions: integer(),
  /** Pages whose text is recognised; undefined while there are none. */
  pagesDone: optional(integer()),
  pagesTotal: optional(integer()),
  error: optional(json<DocumentError>()),
  /** Undefined if there are none. */
  warnings: optional(json<DocumentWarning[]>()),
  lease: optional(text()),
  batchId: optional(text()),
  priority: integer(),
  /** Whether the document may take long. */
  slow: flag(),
  dueAt: optional(integer()),
  updatedAt: integer(),
  indexedAt: optional(integer()),
})

export type RowState = 'staged' | 'live' | 'gone'

/** The output of one ingestion attempt. Its chunks are searchable while it is live. */
export const batches = table('batches', {
  workspaceId: text(),
  id: text(),
  generationId: text(),
  fileId: text(),
  state: text<RowState>(),
  chunkCount: integer(),
  revision: integer(),
  /** The passages of the document that users added. */
  manual: flag(),
})

/** Passages that users added to a document. */
export const manualPassages = table('manual_passages', {
  workspaceId: text(),
  /** Also the id of the passage's chunk, in every generation. */
  id: text(),
  knowledgeId: text(),
  fileId: text(),
  content: text(),
  enabled: flag(),
  /** Changes with every edit. */
  revision: integer(),
  createdAt: integer(),
})

export const chunks = table('chunks', {
  workspaceId: text(),
  batchId: text(),
  position: integer(),
  id: text(),
  content: text(),
  heading: json<string[]>(),
  page: optional(integer()),
  /** Undefined in chunks that were stored before it was known. */
  lastPage: optional(integer()),
  sheet: optional(text()),
  /** Undefined for formats without a page layout. */
  boxes: optional(json<PageBoxes[]>()),
  fromOffset: integer(),
  toOffset: integer(),
  tokens: integer(),
  enabled: flag(),
  edited: flag(),
})

/** Immutable pieces of the keyword index. */
export const segments = table('segments', {
  workspaceId: text(),
  generationId: text(),
  id: text(),
  batchId: optional(text()),
  state: text<RowState>(),
  chunkCount: integer(),
  termTotal: integer(),
  createdAt: integer(),
  header: bytes(),
})

export const segmentBlocks = table('segment_blocks', {
  workspaceId: text(),
  segmentId: text(),
  ordinal: integer(),
  data: bytes(),
})

/** Unit vectors, encoded by `vectorParameter`: the databases store them differently. */
export const vectors = table('vectors', {
  workspaceId: text(),
  generationId: text(),
  batchId: text(),
  position: integer(),
  vector: { stored: 'bytes' } satisfies ColumnType<SqlValue> as ColumnType<SqlValue>,
  /** Time by the clock of the writer. A graph in PostgreSQL covers the vectors until a time. */
  writtenAt: integer(),
})

export const embeddings = table('embeddings', {
  workspaceId: text(),
  model: text(),
  hash: text(),
  vector: floats(),
  usedAt: integer(),
})

/** Texts recognised in page images and recordings, by the hash of their content. */
export const recognisedTexts = table('recognised_texts', {
  workspaceId: text(),
  recogniser: text(),
  hash: text(),
  content: text(),
  usedAt: integer(),
})

/** The rows of a VALUES list that names rows by the id of their parent and a number. */
export const addressValues = (addresses: [id: string, number: number][]): Query =>
  new Query(addresses.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT))').join(', '), addresses.flat())
