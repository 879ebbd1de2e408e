-- Who changed what. An entry is written in the transaction of its change.
CREATE TABLE audit_entries (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  actor_role TEXT NOT NULL,
  operation TEXT NOT NULL,
  object_kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  details TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  address TEXT NOT NULL
);
CREATE INDEX audit_by_actor ON audit_entries (workspace_id, actor_id, at, id);
CREATE INDEX audit_by_object ON audit_entries (workspace_id, object_id, at, id);
-- Not unique, and the last one: otherwise SQLite prefers it also where a token or an object is given.
CREATE INDEX audit_by_time ON audit_entries (workspace_id, at, id);
