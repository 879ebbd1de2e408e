import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { OutputVault } from '../../workflow/run/output-vault.ts'

/** Keeps large outputs in a table of their own; they go when their run goes. */
export class SqlOutputVault implements OutputVault {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async put(workspaceId: string, runId: string, text: string): Promise<string> {
    const key = randomBytes(16).toString('base64url')
    await this.#database.transaction(transaction =>
      transaction.run(
        'INSERT INTO run_contents (workspace_id, run_id, key, body) VALUES (?, ?, ?, ?)',
        workspaceId,
        runId,
        key,
        text,
      ),
    )
    return key
  }

  async get(workspaceId: string, runId: string, key: string): Promise<string> {
    const row = await this.#database.get<{ body: string }>(
      'SELECT body FROM run_contents WHERE workspace_id = ? AND run_id = ? AND key = ?',
      workspaceId,
      runId,
      key,
    )
    if (!row) throw new AppError('content_damaged', 'An output of this run is gone')
    return row.body
  }
}
