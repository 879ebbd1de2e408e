-- A runner's token may be bound to a user; a file belongs to the user whose token uploaded it, '' to none.
ALTER TABLE tokens ADD COLUMN user_id TEXT;
ALTER TABLE files ADD COLUMN user_id TEXT NOT NULL DEFAULT '';

-- Limits of a workspace that differ from the server's, as JSON.
ALTER TABLE workspaces ADD COLUMN limits TEXT;

-- What a workspace stores. Triggers keep it, so that it is right whoever writes; readers sum over the shards. A connection
-- has a shard of its own, so that writers do not wait for each other's commits.
CREATE TABLE workspace_usage (
  workspace_id TEXT COLLATE "C" NOT NULL,
  shard BIGINT NOT NULL,
  storage_bytes BIGINT NOT NULL,
  documents BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, shard)
);
INSERT INTO workspace_usage (workspace_id, shard, storage_bytes, documents)
  SELECT workspace_id, 0, SUM(bytes), SUM(documents) FROM (
    SELECT workspace_id, size AS bytes, 0 AS documents FROM blobs
    UNION ALL SELECT workspace_id, octet_length(graph), 0 FROM workflow_versions
    UNION ALL SELECT workspace_id, 0, 1 FROM documents
  ) AS stored GROUP BY workspace_id;

CREATE FUNCTION add_workspace_usage(workspace TEXT, bytes BIGINT, count BIGINT) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO workspace_usage AS u VALUES (workspace, pg_backend_pid() % 16, bytes, count)
  ON CONFLICT (workspace_id, shard) DO UPDATE
    SET storage_bytes = u.storage_bytes + excluded.storage_bytes, documents = u.documents + excluded.documents $$;

CREATE FUNCTION count_blobs() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM add_workspace_usage(workspace_id, (CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * SUM(size))::BIGINT, 0)
  FROM changed GROUP BY workspace_id; RETURN NULL; END $$;
CREATE TRIGGER blobs_added AFTER INSERT ON blobs
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_blobs();
CREATE TRIGGER blobs_deleted AFTER DELETE ON blobs
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_blobs();

CREATE FUNCTION count_workflow_versions() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM add_workspace_usage(workspace_id,
    (CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * SUM(octet_length(graph)))::BIGINT, 0)
  FROM changed GROUP BY workspace_id; RETURN NULL; END $$;
CREATE TRIGGER workflow_versions_added AFTER INSERT ON workflow_versions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_workflow_versions();
CREATE TRIGGER workflow_versions_deleted AFTER DELETE ON workflow_versions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_workflow_versions();

CREATE FUNCTION count_documents() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM add_workspace_usage(workspace_id, 0, CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * COUNT(*))
  FROM changed GROUP BY workspace_id; RETURN NULL; END $$;
CREATE TRIGGER documents_added AFTER INSERT ON documents
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_documents();
CREATE TRIGGER documents_deleted AFTER DELETE ON documents
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_documents();
