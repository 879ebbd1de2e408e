-- Who changed what. An entry is written in the transaction of its change.
CREATE TABLE audit_entries (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  actor_id TEXT COLLATE "C" NOT NULL,
  actor_name TEXT NOT NULL,
  actor_role TEXT NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  object_kind TEXT NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  details TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  address TEXT NOT NULL
);
CREATE INDEX audit_by_actor ON audit_entries (workspace_id, actor_id, at, id);
CREATE INDEX audit_by_object ON audit_entries (workspace_id, object_id, at, id);
CREATE INDEX audit_by_time ON audit_entries (workspace_id, at, id);
