-- Whether the document of a job may take long: the next quick one is found without reading all slow ones.
ALTER TABLE readings ADD COLUMN slow BIGINT NOT NULL DEFAULT 0;
UPDATE readings SET slow = 1 WHERE EXISTS (SELECT 1 FROM documents d
  WHERE d.workspace_id = readings.workspace_id AND d.knowledge_id = readings.knowledge_id
    AND d.file_id = readings.file_id
    AND (d.size > 4194304 OR d.mime_type LIKE 'audio/%' OR d.mime_type IN
      ('application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint')));
