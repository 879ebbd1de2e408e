-- Documents of a generation by their status, so that no list has to count them: `open` ones are being processed or wait.
-- Triggers keep the counts, so that they are right whoever writes; readers sum over the shards. A connection has a shard of
-- its own, so that writers do not wait for each other's commits.
CREATE TABLE generation_counts (
  workspace_id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  shard BIGINT NOT NULL,
  documents BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  open BIGINT NOT NULL,
  chunks BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, generation_id, shard)
);

CREATE FUNCTION add_generation_counts(workspace TEXT, generation TEXT, documents BIGINT, failed BIGINT, open BIGINT, chunks BIGINT)
  RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO generation_counts AS c
  VALUES (workspace, generation, pg_backend_pid() % 16, documents, failed, open, chunks)
  ON CONFLICT (workspace_id, generation_id, shard) DO UPDATE SET documents = c.documents + excluded.documents,
    failed = c.failed + excluded.failed, open = c.open + excluded.open, chunks = c.chunks + excluded.chunks $$;

CREATE FUNCTION count_readings() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM add_generation_counts(workspace_id, generation_id, factor * COUNT(*),
    factor * COUNT(*) FILTER (WHERE status = 'failed'),
    factor * COUNT(*) FILTER (WHERE status NOT IN ('ready', 'failed')), (factor * SUM(chunk_count))::BIGINT)
  FROM changed, (SELECT CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END AS factor) AS f
  GROUP BY workspace_id, generation_id, factor; RETURN NULL; END $$;
CREATE TRIGGER readings_added AFTER INSERT ON readings
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_readings();
CREATE TRIGGER readings_deleted AFTER DELETE ON readings
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_readings();

CREATE FUNCTION count_changed_reading() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM add_generation_counts(NEW.workspace_id, NEW.generation_id, 0,
    (NEW.status = 'failed')::INT - (OLD.status = 'failed')::INT,
    (NEW.status NOT IN ('ready', 'failed'))::INT - (OLD.status NOT IN ('ready', 'failed'))::INT,
    NEW.chunk_count - OLD.chunk_count); RETURN NULL; END $$;
CREATE TRIGGER readings_changed AFTER UPDATE OF status, chunk_count ON readings
  FOR EACH ROW WHEN (NEW.status <> OLD.status OR NEW.chunk_count <> OLD.chunk_count)
  EXECUTE FUNCTION count_changed_reading();

CREATE FUNCTION forget_generation_counts() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM generation_counts WHERE workspace_id = OLD.workspace_id AND generation_id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER generations_deleted AFTER DELETE ON generations
  FOR EACH ROW EXECUTE FUNCTION forget_generation_counts();

INSERT INTO generation_counts SELECT workspace_id, generation_id, 0, COUNT(*), COUNT(*) FILTER (WHERE status = 'failed'),
  COUNT(*) FILTER (WHERE status NOT IN ('ready', 'failed')), SUM(chunk_count) FROM readings
  GROUP BY workspace_id, generation_id;

-- Sums of usage_days, kept by triggers: of each day (`days` is 1, the ids are empty), and of each agent and workflow in 30
-- days. `period` is the day divided by `days`. A year is read from them in a fraction of its rows.
CREATE TABLE usage_rollups (
  workspace_id TEXT COLLATE "C" NOT NULL,
  days BIGINT NOT NULL,
  period BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  shard BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  active_milliseconds BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, days, period, agent_id, workflow_id, shard)
);

CREATE FUNCTION keep_usage_rollups() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO usage_rollups AS u SELECT NEW.workspace_id, days, NEW.day / days, agent, workflow, NEW.shard,
    NEW.runs - COALESCE(OLD.runs, 0),
    NEW.failures - COALESCE(OLD.failures, 0),
    NEW.prompt_tokens - COALESCE(OLD.prompt_tokens, 0),
    NEW.completion_tokens - COALESCE(OLD.completion_tokens, 0),
    NEW.active_milliseconds - COALESCE(OLD.active_milliseconds, 0)
  FROM (VALUES (1, '', ''), (30, NEW.agent_id, NEW.workflow_id)) AS rollups (days, agent, workflow)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET
    runs = u.runs + excluded.runs,
    failures = u.failures + excluded.failures,
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    active_milliseconds = u.active_milliseconds + excluded.active_milliseconds; RETURN NULL; END $$;
CREATE TRIGGER usage_days_written AFTER INSERT OR UPDATE ON usage_days
  FOR EACH ROW EXECUTE FUNCTION keep_usage_rollups();

INSERT INTO usage_rollups SELECT workspace_id, 1, day, '', '', shard, SUM(runs), SUM(failures), SUM(prompt_tokens),
  SUM(completion_tokens), SUM(active_milliseconds) FROM usage_days GROUP BY workspace_id, day, shard;
INSERT INTO usage_rollups SELECT workspace_id, 30, day / 30, agent_id, workflow_id, shard, SUM(runs), SUM(failures),
  SUM(prompt_tokens), SUM(completion_tokens), SUM(active_milliseconds) FROM usage_days
  GROUP BY workspace_id, day / 30, agent_id, workflow_id, shard;
