-- How an answer came about: its calls of tools and what the model thought, as JSON. A chat shows them again after a reload,
-- also when the run is no longer kept.
ALTER TABLE turns ADD COLUMN steps TEXT;
