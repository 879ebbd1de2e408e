-- One row: which blob store this database belongs to, and how far the check of its contents has got.
CREATE TABLE installation (
  id TEXT COLLATE "C" NOT NULL,
  scrubbed_up_to TEXT COLLATE "C" NOT NULL DEFAULT '',
  scrub_started_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX installation_once ON installation ((true));

-- When the content was last found missing or damaged; NULL while it is intact.
ALTER TABLE blobs ADD COLUMN damaged_at BIGINT;
CREATE INDEX blobs_damaged ON blobs (damaged_at) WHERE damaged_at IS NOT NULL;
