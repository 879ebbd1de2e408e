-- The index behind the keyword filters of lists: every sequence of one to three characters of `search`, so that any part
-- of a name is found, in any script. A sequence is indexed as source.scope.hex, where the scope is the workspace, or the
-- knowledge base of documents: what others store does not matter. An entry's rowid is that of the row times 8, plus a
-- number for the table. What is marked as deleted has no entry.
CREATE VIRTUAL TABLE search_index USING fts5(
  grams, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '-_.'"
);
CREATE VIEW search_texts AS SELECT 0 AS entry, '' AS scope, '' AS text WHERE 0;
CREATE TRIGGER search_texts_added INSTEAD OF INSERT ON search_texts WHEN NEW.text <> '' BEGIN
  INSERT INTO search_index (rowid, grams) SELECT NEW.entry, (
    WITH RECURSIVE positions (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM positions WHERE at < length(NEW.text))
    SELECT group_concat(NEW.scope || hex(substr(NEW.text, at, 1)) || ' ' || NEW.scope || hex(substr(NEW.text, at, 2))
      || ' ' || NEW.scope || hex(substr(NEW.text, at, 3)), ' ') FROM positions); END;

CREATE TRIGGER workflows_search_added AFTER INSERT ON workflows BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8, 'workflows.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER workflows_search_changed AFTER UPDATE OF search ON workflows WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8; INSERT INTO search_texts VALUES (NEW.rowid * 8, 'workflows.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER workflows_search_deleted AFTER DELETE ON workflows BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8; END;

CREATE TRIGGER files_search_added AFTER INSERT ON files BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 1, 'files.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER files_search_changed AFTER UPDATE OF search ON files WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 1; INSERT INTO search_texts VALUES (NEW.rowid * 8 + 1, 'files.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER files_search_deleted AFTER DELETE ON files BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 1; END;

CREATE TRIGGER agents_search_added AFTER INSERT ON agents BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 2, 'agents.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER agents_search_changed AFTER UPDATE OF search ON agents WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 2; INSERT INTO search_texts VALUES (NEW.rowid * 8 + 2, 'agents.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER agents_search_deleted AFTER DELETE ON agents BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 2; END;
CREATE TRIGGER agents_search_hidden AFTER UPDATE OF deleted_at ON agents WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 2; END;

CREATE TRIGGER conversations_search_added AFTER INSERT ON conversations BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 3, 'conversations.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER conversations_search_changed AFTER UPDATE OF search ON conversations WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 3; INSERT INTO search_texts VALUES (NEW.rowid * 8 + 3, 'conversations.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER conversations_search_deleted AFTER DELETE ON conversations BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 3; END;
CREATE TRIGGER conversations_search_hidden AFTER UPDATE OF deleted_at ON conversations WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 3; END;

CREATE TRIGGER knowledge_bases_search_added AFTER INSERT ON knowledge_bases BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 4, 'knowledge_bases.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER knowledge_bases_search_changed AFTER UPDATE OF search ON knowledge_bases WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 4; INSERT INTO search_texts VALUES (NEW.rowid * 8 + 4, 'knowledge_bases.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER knowledge_bases_search_deleted AFTER DELETE ON knowledge_bases BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 4; END;
CREATE TRIGGER knowledge_bases_search_hidden AFTER UPDATE OF deleted_at ON knowledge_bases WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 4; END;

CREATE TRIGGER documents_search_added AFTER INSERT ON documents BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 5, 'documents.' || NEW.knowledge_id || '.', NEW.search); END;
CREATE TRIGGER documents_search_changed AFTER UPDATE OF search ON documents WHEN NEW.search <> OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 5; INSERT INTO search_texts VALUES (NEW.rowid * 8 + 5, 'documents.' || NEW.knowledge_id || '.', NEW.search); END;
CREATE TRIGGER documents_search_deleted AFTER DELETE ON documents BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 5; END;
