-- Tools that several agents and workflows of a workspace use by id. `settings` is JSON in the form of a tool of an llm node.
CREATE TABLE shared_tools (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  search TEXT NOT NULL,
  type TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX shared_tools_by_name ON shared_tools (workspace_id, name);
