-- What is missing in a document that is ready, such as scanned pages that nothing could recognise.
ALTER TABLE readings ADD COLUMN warnings TEXT;
