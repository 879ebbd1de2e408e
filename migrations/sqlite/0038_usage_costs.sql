-- What runs cost by the prices of their models. The sums in usage_rollups follow, so their triggers are replaced.
ALTER TABLE runs ADD COLUMN cost REAL NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN cost REAL NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN cost REAL NOT NULL DEFAULT 0;
DROP TRIGGER usage_days_added;
DROP TRIGGER usage_days_changed;
CREATE TRIGGER usage_days_added AFTER INSERT ON usage_days BEGIN
  INSERT INTO usage_rollups VALUES
    (NEW.workspace_id, 1, NEW.day, '', '', NEW.shard, NEW.runs, NEW.failures, NEW.prompt_tokens, NEW.completion_tokens, NEW.active_milliseconds, NEW.cost),
    (NEW.workspace_id, 30, NEW.day / 30, NEW.agent_id, NEW.workflow_id, NEW.shard, NEW.runs, NEW.failures, NEW.prompt_tokens, NEW.completion_tokens, NEW.active_milliseconds, NEW.cost)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET runs = runs + excluded.runs, failures = failures + excluded.failures, prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens, active_milliseconds = active_milliseconds + excluded.active_milliseconds, cost = cost + excluded.cost; END;
CREATE TRIGGER usage_days_changed AFTER UPDATE ON usage_days BEGIN
  INSERT INTO usage_rollups VALUES
    (NEW.workspace_id, 1, NEW.day, '', '', NEW.shard, NEW.runs - OLD.runs, NEW.failures - OLD.failures, NEW.prompt_tokens - OLD.prompt_tokens, NEW.completion_tokens - OLD.completion_tokens, NEW.active_milliseconds - OLD.active_milliseconds, NEW.cost - OLD.cost),
    (NEW.workspace_id, 30, NEW.day / 30, NEW.agent_id, NEW.workflow_id, NEW.shard, NEW.runs - OLD.runs, NEW.failures - OLD.failures, NEW.prompt_tokens - OLD.prompt_tokens, NEW.completion_tokens - OLD.completion_tokens, NEW.active_milliseconds - OLD.active_milliseconds, NEW.cost - OLD.cost)
  ON CONFLICT (workspace_id, days, period, agent_id, workflow_id, shard) DO UPDATE SET runs = runs + excluded.runs, failures = failures + excluded.failures, prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens, active_milliseconds = active_milliseconds + excluded.active_milliseconds, cost = cost + excluded.cost; END;
