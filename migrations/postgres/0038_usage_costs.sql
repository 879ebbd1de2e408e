-- What runs cost by the prices of their models. The sums in usage_rollups follow, so their trigger is replaced.
ALTER TABLE runs ADD COLUMN cost DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN cost DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN cost DOUBLE PRECISION NOT NULL DEFAULT 0;
CREATE OR REPLACE FUNCTION keep_usage_rollups() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO usage_rollups AS u SELECT NEW.workspace_id, days, NEW.day / days, agent, workflow, NEW.shard,
    NEW.runs - COALESCE(OLD.runs, 0),
    NEW.failures - COALESCE(OLD.failures, 0),
    NEW.prompt_tokens - COALESCE(OLD.prompt_tokens, 0),
    NEW.completion_tokens - COALESCE(OLD.completion_tokens, 0),
    NEW.active_milliseconds - COALESCE(OLD.active_milliseconds, 0),
    NEW.cost - COALESCE(OLD.cost, 0)
  FROM (VALUES (1, '', ''), (30, NEW.agent_id, NEW.workflow_id)) AS rollups (days, agent, workflow)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET
    runs = u.runs + excluded.runs,
    failures = u.failures + excluded.failures,
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    active_milliseconds = u.active_milliseconds + excluded.active_milliseconds,
    cost = u.cost + excluded.cost; RETURN NULL; END $$;
