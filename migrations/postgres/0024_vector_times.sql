-- A graph of vectors covers those written until it was built, so that writing one more does not wait for the graph.
ALTER TABLE vectors ADD COLUMN written_at BIGINT NOT NULL DEFAULT 0;
