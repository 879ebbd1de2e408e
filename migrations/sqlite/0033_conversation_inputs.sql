-- The values of input variables that the first message of a conversation brought, for its later runs.
ALTER TABLE conversations ADD COLUMN inputs TEXT;
