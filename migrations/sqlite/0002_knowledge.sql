-- A knowledge base is found through its own row alone: once `deleted_at` is set, nothing below it can be seen, and
-- its rows are swept afterwards, a few at a time.
CREATE TABLE knowledge_bases (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  description TEXT NOT NULL,
  chunking TEXT NOT NULL,
  embedding_model TEXT,
  retrieval TEXT NOT NULL,
  metadata TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  next_generation_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  UNIQUE (workspace_id, id)
);
CREATE UNIQUE INDEX knowledge_bases_by_name ON knowledge_bases (workspace_id, name) WHERE deleted_at IS NULL;
CREATE INDEX knowledge_bases_reindexing ON knowledge_bases (next_generation_id) WHERE next_generation_id IS NOT NULL;
CREATE INDEX knowledge_bases_deleted ON knowledge_bases (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX knowledge_bases_by_update ON knowledge_bases (workspace_id, updated_at DESC, id);

-- One whole index of a base, built with one way of cutting and one embedding model.
CREATE TABLE generations (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  chunking TEXT NOT NULL,
  embedding_model TEXT,
  dimension INTEGER,
  revision INTEGER NOT NULL,
  gone INTEGER NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX generations_by_base ON generations (workspace_id, knowledge_id);
CREATE INDEX generations_gone ON generations (gone) WHERE gone = 1;

CREATE TABLE documents (
  workspace_id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  chunking TEXT,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, knowledge_id, file_id)
);
CREATE INDEX documents_by_time ON documents (workspace_id, knowledge_id, created_at DESC, file_id);
CREATE INDEX documents_by_file ON documents (workspace_id, file_id);

-- The metadata of documents once more, value by value, so that filters can use an index. A long text stands as its
-- beginning and a hash.
CREATE TABLE document_values (
  workspace_id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  key TEXT NOT NULL,
  text_value TEXT,
  number_value REAL
);
CREATE INDEX document_values_by_document ON document_values (workspace_id, knowledge_id, file_id);
CREATE INDEX document_values_by_text ON document_values (workspace_id, knowledge_id, key, text_value, file_id);
CREATE INDEX document_values_by_number ON document_values (workspace_id, knowledge_id, key, number_value, file_id);

-- A document on its way into a generation, and its own queue entry: `due_at` is when it may be taken, or, while
-- somebody works on it, when the lease ends. It is null once the reading is settled. What is read again for another
-- generation has priority 1: it waits until what people just added is read.
CREATE TABLE readings (
  workspace_id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  status TEXT NOT NULL,
  progress REAL NOT NULL,
  chunk_count INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  interruptions INTEGER NOT NULL,
  error TEXT,
  lease TEXT,
  batch_id TEXT,
  priority INTEGER NOT NULL,
  due_at INTEGER,
  updated_at INTEGER NOT NULL,
  indexed_at INTEGER,
  UNIQUE (workspace_id, generation_id, file_id)
);
CREATE INDEX readings_due ON readings (priority, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX readings_by_status ON readings (workspace_id, generation_id, status, chunk_count);

-- What one attempt wrote. Its chunks can be seen while it is 'live'; 'gone' ones are swept.
CREATE TABLE batches (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  state TEXT NOT NULL,
  chunk_count INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX batches_by_document ON batches (workspace_id, generation_id, file_id);
CREATE INDEX batches_by_revision ON batches (workspace_id, generation_id, revision);
CREATE INDEX batches_gone ON batches (state) WHERE state = 'gone';

CREATE TABLE chunks (
  workspace_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  content TEXT NOT NULL,
  heading TEXT NOT NULL,
  page INTEGER,
  sheet TEXT,
  from_offset INTEGER NOT NULL,
  to_offset INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  edited INTEGER NOT NULL,
  UNIQUE (workspace_id, batch_id, position)
);

-- The keyword index. A segment is written once and never changed; see docs/decisions/2026-11-15-keyword-index.md.
CREATE TABLE segments (
  workspace_id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  id TEXT NOT NULL,
  batch_id TEXT,
  state TEXT NOT NULL,
  chunk_count INTEGER NOT NULL,
  term_total INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  header BLOB NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX segments_by_generation ON segments (workspace_id, generation_id, state, chunk_count);
CREATE INDEX segments_by_batch ON segments (workspace_id, batch_id);
CREATE INDEX segments_not_live ON segments (state, created_at) WHERE state <> 'live';

CREATE TABLE segment_blocks (
  workspace_id TEXT NOT NULL,
  segment_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (workspace_id, segment_id, ordinal)
);

-- Vectors of length 1, as 32-bit floats.
CREATE TABLE vectors (
  workspace_id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (workspace_id, batch_id, position)
);

CREATE TABLE embeddings (
  workspace_id TEXT NOT NULL,
  model TEXT NOT NULL,
  hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  used_at INTEGER NOT NULL,
  UNIQUE (workspace_id, model, hash)
);
CREATE INDEX embeddings_by_use ON embeddings (used_at);
