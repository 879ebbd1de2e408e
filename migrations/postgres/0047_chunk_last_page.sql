-- Where a chunk ends, if it spans pages. NULL in chunks stored before.
ALTER TABLE chunks ADD COLUMN last_page BIGINT;
