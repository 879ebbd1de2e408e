-- A runner's token may be bound to a user; a file belongs to the user whose token uploaded it, '' to none.
ALTER TABLE tokens ADD COLUMN user_id TEXT;
ALTER TABLE files ADD COLUMN user_id TEXT NOT NULL DEFAULT '';

-- Limits of a workspace that differ from the server's, as JSON.
ALTER TABLE workspaces ADD COLUMN limits TEXT;

-- What a workspace stores. Triggers keep it, so that it is right whoever writes; readers sum over the shards.
CREATE TABLE workspace_usage (
  workspace_id TEXT NOT NULL,
  shard INTEGER NOT NULL,
  storage_bytes INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  UNIQUE (workspace_id, shard)
);
INSERT INTO workspace_usage (workspace_id, shard, storage_bytes, documents)
  SELECT workspace_id, 0, SUM(bytes), SUM(documents) FROM (
    SELECT workspace_id, size AS bytes, 0 AS documents FROM blobs
    UNION ALL SELECT workspace_id, octet_length(graph), 0 FROM workflow_versions
    UNION ALL SELECT workspace_id, 0, 1 FROM documents
  ) GROUP BY workspace_id;
CREATE TRIGGER blobs_added AFTER INSERT ON blobs BEGIN
  INSERT INTO workspace_usage VALUES (NEW.workspace_id, 0, NEW.size, 0)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET storage_bytes = storage_bytes + excluded.storage_bytes; END;
CREATE TRIGGER blobs_deleted AFTER DELETE ON blobs BEGIN
  INSERT INTO workspace_usage VALUES (OLD.workspace_id, 0, -OLD.size, 0)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET storage_bytes = storage_bytes + excluded.storage_bytes; END;
CREATE TRIGGER workflow_versions_added AFTER INSERT ON workflow_versions BEGIN
  INSERT INTO workspace_usage VALUES (NEW.workspace_id, 0, octet_length(NEW.graph), 0)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET storage_bytes = storage_bytes + excluded.storage_bytes; END;
CREATE TRIGGER workflow_versions_deleted AFTER DELETE ON workflow_versions BEGIN
  INSERT INTO workspace_usage VALUES (OLD.workspace_id, 0, -octet_length(OLD.graph), 0)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET storage_bytes = storage_bytes + excluded.storage_bytes; END;
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
  INSERT INTO workspace_usage VALUES (NEW.workspace_id, 0, 0, 1)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET documents = documents + 1; END;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO workspace_usage VALUES (OLD.workspace_id, 0, 0, -1)
  ON CONFLICT (workspace_id, shard) DO UPDATE SET documents = documents - 1; END;
