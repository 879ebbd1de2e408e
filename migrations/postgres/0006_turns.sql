-- `is_anonymous`: it was made without a token, so that its failures say nothing of how the server is set up.
-- `fingerprint`: what was sent under an Idempotency-Key, where there was one.
ALTER TABLE turns ADD COLUMN is_anonymous BIGINT NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
