-- A knowledge base is found through its own row alone: once `deleted_at` is set, nothing below it can be seen, and
-- its rows are swept afterwards, a few at a time.
CREATE TABLE knowledge_bases (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  description TEXT NOT NULL,
  chunking TEXT NOT NULL,
  embedding_model TEXT,
  retrieval TEXT NOT NULL,
  metadata TEXT NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  next_generation_id TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX knowledge_bases_by_name ON knowledge_bases (workspace_id, name) WHERE deleted_at IS NULL;
CREATE INDEX knowledge_bases_reindexing ON knowledge_bases (next_generation_id) WHERE next_generation_id IS NOT NULL;
CREATE INDEX knowledge_bases_deleted ON knowledge_bases (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX knowledge_bases_by_update ON knowledge_bases (workspace_id, updated_at DESC, id);

-- One whole index of a base, built with one way of cutting and one embedding model.
CREATE TABLE generations (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  chunking TEXT NOT NULL,
  embedding_model TEXT,
  dimension BIGINT,
  revision BIGINT NOT NULL,
  gone BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX generations_by_base ON generations (workspace_id, knowledge_id);
CREATE INDEX generations_gone ON generations (gone) WHERE gone = 1;

CREATE TABLE documents (
  workspace_id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  chunking TEXT,
  metadata TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, knowledge_id, file_id)
);
CREATE INDEX documents_by_time ON documents (workspace_id, knowledge_id, created_at DESC, file_id);
CREATE INDEX documents_by_file ON documents (workspace_id, file_id);

-- The metadata of documents once more, value by value, so that filters can use an index. A long text stands as its
-- beginning and a hash.
CREATE TABLE document_values (
  workspace_id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  text_value TEXT COLLATE "C",
  number_value DOUBLE PRECISION
);
CREATE INDEX document_values_by_document ON document_values (workspace_id, knowledge_id, file_id);
CREATE INDEX document_values_by_text ON document_values (workspace_id, knowledge_id, key, text_value, file_id);
CREATE INDEX document_values_by_number ON document_values (workspace_id, knowledge_id, key, number_value, file_id);

-- A document on its way into a generation, and its own queue entry: `due_at` is when it may be taken, or, while
-- somebody works on it, when the lease ends. It is null once the reading is settled. What is read again for another
-- generation has priority 1: it waits until what people just added is read.
CREATE TABLE readings (
  workspace_id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  progress DOUBLE PRECISION NOT NULL,
  chunk_count BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  retries BIGINT NOT NULL,
  interruptions BIGINT NOT NULL,
  error TEXT,
  lease TEXT COLLATE "C",
  batch_id TEXT COLLATE "C",
  priority BIGINT NOT NULL,
  due_at BIGINT,
  updated_at BIGINT NOT NULL,
  indexed_at BIGINT,
  PRIMARY KEY (workspace_id, generation_id, file_id)
);
CREATE INDEX readings_due ON readings (priority, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX readings_by_status ON readings (workspace_id, generation_id, status, chunk_count);

-- What one attempt wrote. Its chunks can be seen while it is 'live'; 'gone' ones are swept.
CREATE TABLE batches (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  chunk_count BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX batches_by_document ON batches (workspace_id, generation_id, file_id);
CREATE INDEX batches_by_revision ON batches (workspace_id, generation_id, revision);
CREATE INDEX batches_gone ON batches (state) WHERE state = 'gone';

CREATE TABLE chunks (
  workspace_id TEXT COLLATE "C" NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  heading TEXT NOT NULL,
  page BIGINT,
  sheet TEXT,
  from_offset BIGINT NOT NULL,
  to_offset BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  enabled BIGINT NOT NULL,
  edited BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, batch_id, position)
);

-- The keyword index. A segment is written once and never changed; see docs/decisions/2026-11-15-keyword-index.md.
CREATE TABLE segments (
  workspace_id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  batch_id TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL,
  chunk_count BIGINT NOT NULL,
  term_total BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  header BYTEA NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX segments_by_generation ON segments (workspace_id, generation_id, state, chunk_count);
CREATE INDEX segments_by_batch ON segments (workspace_id, batch_id);
CREATE INDEX segments_not_live ON segments (state, created_at) WHERE state <> 'live';

CREATE TABLE segment_blocks (
  workspace_id TEXT COLLATE "C" NOT NULL,
  segment_id TEXT COLLATE "C" NOT NULL,
  ordinal BIGINT NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (workspace_id, segment_id, ordinal)
);

-- Vectors of length 1. A generation with many of them gets an index of its own, made when it has grown.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE vectors (
  workspace_id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  vector vector NOT NULL,
  PRIMARY KEY (workspace_id, batch_id, position)
);

CREATE INDEX vectors_by_generation ON vectors (workspace_id, generation_id);

CREATE TABLE embeddings (
  workspace_id TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  vector BYTEA NOT NULL,
  used_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, model, hash)
);
CREATE INDEX embeddings_by_use ON embeddings (used_at);
