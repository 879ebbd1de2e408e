-- How the question of a run begins, for lists, and the run of which it is a repetition. `search` is what the keyword
-- filter finds: how the question and the answer begin, in lower case. A background job fills it after the run has settled,
-- because indexing takes longer than storing a run; until then it is NULL.
ALTER TABLE runs ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN rerun_of TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN search TEXT;
CREATE TRIGGER runs_search_changed AFTER UPDATE OF search ON runs WHEN NEW.search IS NOT OLD.search BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 6 AND OLD.search IS NOT NULL; INSERT INTO search_texts SELECT NEW.rowid * 8 + 6, 'runs.' || NEW.workspace_id || '.', NEW.search WHERE NEW.search IS NOT NULL; END;
CREATE TRIGGER runs_search_added AFTER INSERT ON runs WHEN NEW.search IS NOT NULL BEGIN
  INSERT INTO search_texts VALUES (NEW.rowid * 8 + 6, 'runs.' || NEW.workspace_id || '.', NEW.search); END;
CREATE TRIGGER runs_search_deleted AFTER DELETE ON runs WHEN OLD.search IS NOT NULL BEGIN
  DELETE FROM search_index WHERE rowid = OLD.rowid * 8 + 6; END;
