-- How the question of a run begins, for lists, and the run of which it is a repetition. `search` is what the keyword
-- filter finds: how the question and the answer begin, in lower case. A background job fills it after the run has settled,
-- because indexing takes longer than storing a run; until then it is NULL.
ALTER TABLE runs ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN rerun_of TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN search TEXT;
CREATE TRIGGER runs_search_changed AFTER UPDATE OF search ON runs
  FOR EACH ROW WHEN (NEW.search IS DISTINCT FROM OLD.search) EXECUTE FUNCTION keep_search();
CREATE TRIGGER runs_search_added AFTER INSERT ON runs
  FOR EACH ROW WHEN (NEW.search IS NOT NULL) EXECUTE FUNCTION keep_search();
CREATE TRIGGER runs_search_deleted AFTER DELETE ON runs
  FOR EACH ROW WHEN (OLD.search IS NOT NULL) EXECUTE FUNCTION keep_search();
