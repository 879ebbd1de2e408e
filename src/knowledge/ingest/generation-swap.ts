import type { Database, Reader } from '../../database/database.ts'
import { type RawSql, raw, sql } from '../../database/sql.ts'
import { generations, knowledgeBases } from '../knowledge-tables.ts'

const columns = knowledgeBases.columns('workspaceId', 'id', 'generationId', 'nextGenerationId')
type ReindexedBase = (typeof columns)['row']

const reindexed = (where: ReturnType<typeof sql>, lock: RawSql) => sql`
  SELECT ${columns} FROM knowledge_bases
  WHERE ${where} AND next_generation_id IS NOT NULL AND deleted_at IS NULL ${lock}`

/** Replaces the live generation of a base by the next one, once that is complete. */
export class GenerationSwap {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Swaps all bases whose next generation is complete, and returns their number. */
  async swapCompleted(now: number): Promise<number> {
    let swapped = 0
    // Checked with a read first: a base may be incomplete for long, and polling must not write.
    for (const base of await this.#database.all(reindexed(sql`1 = 1`, raw(''))))
      if (!(await this.#isIncomplete(this.#database, base)) && (await this.#swap(base, now))) swapped++
    return swapped
  }

  /**
   * A swap must not lose a document that can be found today: the live generation stays while a job of the next one is
   * open, or failed for a document that the live generation contains.
   */
  async #isIncomplete(
    reader: Reader,
    { workspaceId, generationId, nextGenerationId }: ReindexedBase,
  ): Promise<boolean> {
    const next = sql`n.workspace_id = ${workspaceId} AND n.generation_id = ${nextGenerationId!}`
    const missing = await reader.get(sql`
      SELECT 1 AS one FROM readings n WHERE ${next} AND n.status IN ('queued', 'parsing', 'chunking', 'embedding')
      UNION ALL
      SELECT 1 AS one FROM readings n
      JOIN batches b ON b.workspace_id = n.workspace_id AND b.generation_id = ${generationId}
        AND b.file_id = n.file_id AND b.state = 'live'
      WHERE ${next} AND n.status = 'failed' LIMIT 1`)
    return missing !== undefined
  }

  #swap({ workspaceId, id }: ReindexedBase, now: number): Promise<boolean> {
    const key = knowledgeBases.where({ workspaceId, id })
    return this.#database.transaction(async transaction => {
      const base = await transaction.get(reindexed(key, this.#database.forUpdate))
      if (!base || (await this.#isIncomplete(transaction, base))) return false
      await transaction.run(sql`
        UPDATE knowledge_bases SET generation_id = next_generation_id, next_generation_id = NULL, updated_at = ${now}
        WHERE ${key}`)
      await transaction.run(sql`
        UPDATE generations SET gone = 1 WHERE ${generations.where({ workspaceId, id: base.generationId })}`)
      return true
    })
  }
}
