-- `search` is the name with its case folded, so it also orders files as people expect: b beside B.
CREATE INDEX files_by_name ON files (workspace_id, search, id);
CREATE INDEX files_by_size ON files (workspace_id, size, id);
