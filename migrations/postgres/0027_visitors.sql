-- Websites that may embed a public agent and call it from their pages, as a JSON array.
ALTER TABLE agents ADD COLUMN allowed_origins TEXT NOT NULL DEFAULT '[]';

-- The conversation that a file was uploaded in, with which it is deleted; NULL for files of the workspace.
ALTER TABLE files ADD COLUMN conversation_id TEXT COLLATE "C";
