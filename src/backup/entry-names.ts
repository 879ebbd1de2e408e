/** What the entries of an archive are called, in the order in which they stand there. */
export const tableEntry = (table: string): string => `tables/${table}.jsonl.gz`
export const bootstrapTokenEntry = 'bootstrap-token'
export const contentEntry = (key: string): string => `blobs/${key}`
/** The last one: an archive that has it is complete. */
export const manifestEntry = 'manifest.json'

export const isContentEntry = (name: string): boolean => /^blobs\/[A-Za-z0-9_-]{1,90}$/.test(name)

export const isTableEntry = (name: string): boolean => /^tables\/[a-z_]{1,60}\.jsonl\.gz$/.test(name)
