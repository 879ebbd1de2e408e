-- Web pages and site maps of a knowledge base. A row is its own queue entry: `due_at` is when it is to be fetched, or when
-- the lease of the process that fetches it ends; NULL: it is not fetched again by itself. A page has the document `file_id`
-- once it was fetched, and keeps it when a later fetch fails. `source_url` is the address of a document that is a page.
ALTER TABLE documents ADD COLUMN source_url TEXT;
CREATE TABLE web_pages (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  sitemap_id TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  host TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  refresh TEXT NOT NULL,
  options TEXT NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  error TEXT,
  failures BIGINT NOT NULL,
  listed BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  fetched_at BIGINT,
  changed_at BIGINT,
  lease TEXT,
  due_at BIGINT,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, knowledge_id, url)
);
CREATE INDEX web_pages_by_base ON web_pages (workspace_id, knowledge_id, created_at DESC, id);
CREATE INDEX web_pages_by_sitemap ON web_pages (workspace_id, sitemap_id, status) WHERE sitemap_id <> '';
CREATE INDEX web_pages_by_file ON web_pages (workspace_id, file_id) WHERE file_id <> '';
CREATE INDEX web_pages_due ON web_pages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX web_pages_due_in_workspace ON web_pages (workspace_id, due_at) WHERE due_at IS NOT NULL;
