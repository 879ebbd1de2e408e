-- Sticky notes and groups of the drawing, beside the positions: JSON, a list of [id, shape]. NULL: there are none.
ALTER TABLE workflow_layouts ADD COLUMN shapes TEXT;
