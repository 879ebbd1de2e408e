-- Documents of a generation by their status, so that no list has to count them: `open` ones are being processed or wait.
-- Triggers keep the counts, so that they are right whoever writes.
CREATE TABLE generation_counts (
  workspace_id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  shard INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  open INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  UNIQUE (workspace_id, generation_id, shard)
);
INSERT INTO generation_counts SELECT workspace_id, generation_id, 0, COUNT(*), SUM(status = 'failed'),
  SUM(status NOT IN ('ready', 'failed')), SUM(chunk_count) FROM readings GROUP BY workspace_id, generation_id;

CREATE TRIGGER readings_added AFTER INSERT ON readings BEGIN
  INSERT INTO generation_counts VALUES (NEW.workspace_id, NEW.generation_id, 0, 1, NEW.status = 'failed',
    NEW.status NOT IN ('ready', 'failed'), NEW.chunk_count)
  ON CONFLICT (workspace_id, generation_id, shard) DO UPDATE SET documents = documents + 1,
    failed = failed + excluded.failed, open = open + excluded.open, chunks = chunks + excluded.chunks; END;
CREATE TRIGGER readings_changed AFTER UPDATE OF status, chunk_count ON readings
  WHEN NEW.status <> OLD.status OR NEW.chunk_count <> OLD.chunk_count BEGIN
  UPDATE generation_counts SET failed = failed + (NEW.status = 'failed') - (OLD.status = 'failed'),
    open = open + (NEW.status NOT IN ('ready', 'failed')) - (OLD.status NOT IN ('ready', 'failed')),
    chunks = chunks + NEW.chunk_count - OLD.chunk_count
  WHERE workspace_id = NEW.workspace_id AND generation_id = NEW.generation_id; END;
CREATE TRIGGER readings_deleted AFTER DELETE ON readings BEGIN
  UPDATE generation_counts SET documents = documents - 1, failed = failed - (OLD.status = 'failed'),
    open = open - (OLD.status NOT IN ('ready', 'failed')), chunks = chunks - OLD.chunk_count
  WHERE workspace_id = OLD.workspace_id AND generation_id = OLD.generation_id; END;
CREATE TRIGGER generations_deleted AFTER DELETE ON generations BEGIN
  DELETE FROM generation_counts WHERE workspace_id = OLD.workspace_id AND generation_id = OLD.id; END;

-- Sums of usage_days, kept by triggers: of each day (`days` is 1, the ids are empty), and of each agent and workflow in 30
-- days. `period` is the day divided by `days`. A year is read from them in a fraction of its rows.
CREATE TABLE usage_rollups (
  workspace_id TEXT NOT NULL,
  days INTEGER NOT NULL,
  period INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  shard INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  active_milliseconds INTEGER NOT NULL,
  UNIQUE (workspace_id, days, period, agent_id, workflow_id, shard)
);
INSERT INTO usage_rollups SELECT workspace_id, 1, day, '', '', shard, SUM(runs), SUM(failures), SUM(prompt_tokens),
  SUM(completion_tokens), SUM(active_milliseconds) FROM usage_days GROUP BY workspace_id, day, shard;
INSERT INTO usage_rollups SELECT workspace_id, 30, day / 30, agent_id, workflow_id, shard, SUM(runs), SUM(failures),
  SUM(prompt_tokens), SUM(completion_tokens), SUM(active_milliseconds) FROM usage_days
  GROUP BY workspace_id, day / 30, agent_id, workflow_id, shard;
CREATE TRIGGER usage_days_added AFTER INSERT ON usage_days BEGIN
  INSERT INTO usage_rollups VALUES
    (NEW.workspace_id, 1, NEW.day, '', '', NEW.shard, NEW.runs, NEW.failures, NEW.prompt_tokens, NEW.completion_tokens, NEW.active_milliseconds),
    (NEW.workspace_id, 30, NEW.day / 30, NEW.agent_id, NEW.workflow_id, NEW.shard, NEW.runs, NEW.failures, NEW.prompt_tokens, NEW.completion_tokens, NEW.active_milliseconds)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET runs = runs + excluded.runs, failures = failures + excluded.failures, prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens, active_milliseconds = active_milliseconds + excluded.active_milliseconds; END;
CREATE TRIGGER usage_days_changed AFTER UPDATE ON usage_days BEGIN
  INSERT INTO usage_rollups VALUES
    (NEW.workspace_id, 1, NEW.day, '', '', NEW.shard, NEW.runs - OLD.runs, NEW.failures - OLD.failures, NEW.prompt_tokens - OLD.prompt_tokens, NEW.completion_tokens - OLD.completion_tokens, NEW.active_milliseconds - OLD.active_milliseconds),
    (NEW.workspace_id, 30, NEW.day / 30, NEW.agent_id, NEW.workflow_id, NEW.shard, NEW.runs - OLD.runs, NEW.failures - OLD.failures, NEW.prompt_tokens - OLD.prompt_tokens, NEW.completion_tokens - OLD.completion_tokens, NEW.active_milliseconds - OLD.active_milliseconds)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET runs = runs + excluded.runs, failures = failures + excluded.failures, prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens, active_milliseconds = active_milliseconds + excluded.active_milliseconds; END;
