-- Tools that several agents and workflows of a workspace use by id. `settings` is JSON in the form of a tool of an llm node.
CREATE TABLE shared_tools (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  type TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE UNIQUE INDEX shared_tools_by_name ON shared_tools (workspace_id, name);
