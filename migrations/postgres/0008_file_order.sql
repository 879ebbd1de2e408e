-- `search` is the name with its case folded, so it also orders files as people expect: b beside B.
-- Compared by bytes, it gives the same order on every machine.
ALTER TABLE files ALTER COLUMN search TYPE TEXT COLLATE "C";
CREATE INDEX files_by_name ON files (workspace_id, search, id);
CREATE INDEX files_by_size ON files (workspace_id, size, id);
