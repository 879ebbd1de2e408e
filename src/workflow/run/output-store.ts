import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { table, text } from '../../database/table.ts'
import { AppError } from '../../kernel/app-error.ts'

/** Outputs that are too large for the journal, whose rows are read often. They are deleted with their run. */
export const runContents = table('run_contents', {
  workspaceId: text(),
  runId: text(),
  key: text(),
  body: text(),
})

export class OutputStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores a text and returns its key. */
  async put(workspaceId: string, runId: string, body: string): Promise<string> {
    const key = randomBytes(16).toString('base64url')
    const insert = runContents.insert({ workspaceId, runId, key, body })
    await this.#database.transaction(transaction => transaction.run(insert))
    return key
  }

  async get(workspaceId: string, runId: string, key: string): Promise<string> {
    const where = runContents.where({ workspaceId, runId, key })
    const row = await this.#database.get(
      sql`SELECT ${runContents.columns('body')} FROM run_contents WHERE ${where}`,
    )
    if (!row) throw new AppError('content_damaged', 'A stored output of this run is missing')
    return row.body
  }
}

/** Replaces such an output in the journal. */
interface Reference {
  $kept: string
  bytes: number
}

const maxInJournal = 1 << 20
const mark = '{"$kept":'

/** Also true for an output that looks like our own reference, which it would be taken for when it is read. */
export const isLarge = (json: string): boolean => json.length > maxInJournal || json.startsWith(mark)

export async function storeLarge(
  outputs: OutputStore,
  workspaceId: string,
  runId: string,
  json: string,
): Promise<string> {
  if (!isLarge(json)) return json
  const reference: Reference = {
    $kept: await outputs.put(workspaceId, runId, json),
    bytes: Buffer.byteLength(json),
  }
  return JSON.stringify(reference)
}

/** What a trace shows: a note instead of a large output. */
export function showLarge(json: string): string {
  return json.startsWith(mark)
    ? JSON.stringify({ truncated: true, bytes: (JSON.parse(json) as Reference).bytes })
    : json
}

/** The output itself, wherever it is stored. */
export async function fetchLarge(
  outputs: OutputStore,
  workspaceId: string,
  runId: string,
  json: string,
): Promise<string> {
  return json.startsWith(mark) ? outputs.get(workspaceId, runId, (JSON.parse(json) as Reference).$kept) : json
}
