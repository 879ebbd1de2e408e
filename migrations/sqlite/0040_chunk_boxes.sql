-- Where a chunk stands on the pages of a PDF, as JSON. NULL for other formats and for chunks stored before.
ALTER TABLE chunks ADD COLUMN boxes TEXT;
