-- The index behind the keyword filters of lists: every sequence of one to three characters of `search`, so that any part
-- of a name is found, in any script. A sequence is indexed as source.scope.sequence, where the scope is the workspace, or
-- the knowledge base of documents: what others store does not matter. It is a table of its own, because rows change far
-- more often than their names. Migration 0019 adds the rows that exist.
CREATE TABLE search_index (
  source TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  grams TEXT[] COLLATE "C" NOT NULL,
  PRIMARY KEY (source, scope, id)
);
CREATE INDEX search_index_by_gram ON search_index USING gin (grams);

CREATE FUNCTION search_grams(prefix TEXT, text TEXT) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE grams TEXT[] := '{}'; BEGIN
    FOR at IN 1..char_length(text) LOOP
      grams[3 * at - 2] := prefix || substr(text, at, 1); grams[3 * at - 1] := prefix || substr(text, at, 2); grams[3 * at] := prefix || substr(text, at, 3); END LOOP; RETURN grams; END $$;

CREATE FUNCTION keep_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM search_index WHERE source = TG_TABLE_NAME AND scope = OLD.workspace_id AND id = OLD.id; END IF; IF TG_OP <> 'DELETE' AND NEW.search <> '' THEN
    INSERT INTO search_index VALUES (TG_TABLE_NAME, NEW.workspace_id, NEW.id,
      search_grams(TG_TABLE_NAME || '.' || NEW.workspace_id || '.', NEW.search)) ON CONFLICT DO NOTHING; END IF; RETURN NULL; END $$;
CREATE FUNCTION keep_search_in_base() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM search_index WHERE source = TG_TABLE_NAME AND scope = OLD.knowledge_id AND id = OLD.file_id; END IF; IF TG_OP <> 'DELETE' AND NEW.search <> '' THEN
    INSERT INTO search_index VALUES (TG_TABLE_NAME, NEW.knowledge_id, NEW.file_id,
      search_grams(TG_TABLE_NAME || '.' || NEW.knowledge_id || '.', NEW.search)) ON CONFLICT DO NOTHING; END IF; RETURN NULL; END $$;

CREATE TRIGGER workflows_search_written AFTER INSERT OR DELETE ON workflows FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER workflows_search_changed AFTER UPDATE OF search ON workflows
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER files_search_written AFTER INSERT OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER files_search_changed AFTER UPDATE OF search ON files
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER agents_search_written AFTER INSERT OR DELETE ON agents FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER agents_search_changed AFTER UPDATE OF search ON agents
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER conversations_search_written AFTER INSERT OR DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER conversations_search_changed AFTER UPDATE OF search ON conversations
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER knowledge_bases_search_written AFTER INSERT OR DELETE ON knowledge_bases FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER knowledge_bases_search_changed AFTER UPDATE OF search ON knowledge_bases
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER documents_search_written AFTER INSERT OR DELETE ON documents FOR EACH ROW EXECUTE FUNCTION keep_search_in_base();
CREATE TRIGGER documents_search_changed AFTER UPDATE OF search ON documents
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search_in_base();
