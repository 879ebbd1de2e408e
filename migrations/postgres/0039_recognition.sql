-- Texts of page images and recordings, by the hash of their content, so that a page is not recognised twice.
CREATE TABLE recognised_texts (
  workspace_id TEXT COLLATE "C" NOT NULL,
  recogniser TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, recogniser, hash)
);
CREATE INDEX recognised_texts_by_use ON recognised_texts (used_at);
-- Pages of a document whose text is recognised: how many there are, and how many are done.
ALTER TABLE readings ADD COLUMN pages_done INTEGER;
ALTER TABLE readings ADD COLUMN pages_total INTEGER;
