-- The index behind the keyword filters of lists: every sequence of one to three characters of `search`, so that any part
-- of a name is found, in any script. A sequence is indexed as source.scope.sequence, where the scope is the workspace, or
-- the knowledge base of documents: what others store does not matter. It is a table of its own, because rows change far
-- more often than their names. What is marked as deleted has no entry. One row of 64 is indexed a second time as
-- sample.source.scope.sequence: a common sequence is recognized there without reading all its entries.
CREATE TABLE search_index (
  source TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  grams TEXT[] COLLATE "C" NOT NULL,
  PRIMARY KEY (source, scope, id)
);
CREATE INDEX search_index_by_gram ON search_index USING gin (grams);

CREATE FUNCTION search_grams(source TEXT, scope TEXT, id TEXT, text TEXT) RETURNS TEXT[]
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE prefix TEXT := source || '.' || scope || '.'; grams TEXT[] := '{}'; BEGIN
    FOR at IN 1..char_length(text) LOOP
      grams[3 * at - 2] := prefix || substr(text, at, 1); grams[3 * at - 1] := prefix || substr(text, at, 2); grams[3 * at] := prefix || substr(text, at, 3); END LOOP; IF hashtext(id) % 64 = 0 THEN
      grams := grams || ARRAY(SELECT 'sample.' || gram FROM unnest(grams) AS gram); END IF; RETURN grams; END $$;

CREATE FUNCTION add_search(source TEXT, scope TEXT, id TEXT, text TEXT) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO search_index SELECT source, scope, id, search_grams(source, scope, id, text) WHERE text <> ''
  ON CONFLICT ON CONSTRAINT search_index_pkey DO UPDATE SET grams = excluded.grams $$;

CREATE FUNCTION keep_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM search_index WHERE source = TG_TABLE_NAME AND scope = OLD.workspace_id AND id = OLD.id; END IF; IF TG_OP <> 'DELETE' AND TG_ARGV[0] IS NULL THEN
    PERFORM add_search(TG_TABLE_NAME, NEW.workspace_id, NEW.id, NEW.search); END IF; RETURN NULL; END $$;
CREATE FUNCTION keep_search_in_base() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM search_index WHERE source = TG_TABLE_NAME AND scope = OLD.knowledge_id AND id = OLD.file_id; END IF; IF TG_OP <> 'DELETE' AND TG_ARGV[0] IS NULL THEN
    PERFORM add_search(TG_TABLE_NAME, NEW.knowledge_id, NEW.file_id, NEW.search); END IF; RETURN NULL; END $$;

CREATE TRIGGER workflows_search_written AFTER INSERT OR DELETE ON workflows FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER workflows_search_changed AFTER UPDATE OF search ON workflows
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER files_search_written AFTER INSERT OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER files_search_changed AFTER UPDATE OF search ON files
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();

CREATE TRIGGER agents_search_written AFTER INSERT OR DELETE ON agents FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER agents_search_changed AFTER UPDATE OF search ON agents
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();
CREATE TRIGGER agents_search_hidden AFTER UPDATE OF deleted_at ON agents
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION keep_search('hidden');

CREATE TRIGGER conversations_search_written AFTER INSERT OR DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER conversations_search_changed AFTER UPDATE OF search ON conversations
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();
CREATE TRIGGER conversations_search_hidden AFTER UPDATE OF deleted_at ON conversations
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION keep_search('hidden');

CREATE TRIGGER knowledge_bases_search_written AFTER INSERT OR DELETE ON knowledge_bases FOR EACH ROW EXECUTE FUNCTION keep_search();
CREATE TRIGGER knowledge_bases_search_changed AFTER UPDATE OF search ON knowledge_bases
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search();
CREATE TRIGGER knowledge_bases_search_hidden AFTER UPDATE OF deleted_at ON knowledge_bases
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION keep_search('hidden');

CREATE TRIGGER documents_search_written AFTER INSERT OR DELETE ON documents FOR EACH ROW EXECUTE FUNCTION keep_search_in_base();
CREATE TRIGGER documents_search_changed AFTER UPDATE OF search ON documents
  FOR EACH ROW WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION keep_search_in_base();
