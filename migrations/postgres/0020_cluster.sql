-- The living processes. They write seen_at every few seconds, by the time of the database.
CREATE TABLE cluster_members (
  id TEXT COLLATE "C" PRIMARY KEY,
  address TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

-- Work that one process does at a time, and which one does it until when.
CREATE TABLE cluster_leases (
  name TEXT COLLATE "C" PRIMARY KEY,
  lease TEXT NOT NULL,
  due_at BIGINT NOT NULL
);

-- Counts changes of tokens, workspaces and the access to agents, so that processes know when to forget what they cached.
-- The triggers run at the end of a transaction, so that the one row is locked only for a moment.
CREATE TABLE access_changes (count BIGINT NOT NULL);
INSERT INTO access_changes VALUES (0);
CREATE FUNCTION count_access_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  UPDATE access_changes SET count = count + 1; PERFORM pg_notify('banyan', E'\taccess\t'); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER tokens_changed AFTER UPDATE OR DELETE ON tokens
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_access_change();
CREATE CONSTRAINT TRIGGER workspaces_changed AFTER UPDATE OR DELETE ON workspaces
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_access_change();
CREATE CONSTRAINT TRIGGER agent_access_changed AFTER UPDATE ON agents
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.access IS DISTINCT FROM NEW.access OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION count_access_change();
