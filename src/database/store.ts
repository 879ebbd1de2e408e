import { groupsOf } from '../kernel/groups-of.ts'
import type { Database, Transaction } from './database.ts'
import { type Query, type RawSql, raw, sql } from './sql.ts'

const unusedPerDelete = 500

/** Reads and writes the rows of one kind of record. */
export abstract class Store<Source extends Database = Database> {
  protected readonly database: Source

  constructor(database: Source) {
    this.database = database
  }

  /** One statement in a transaction of its own; returns how many rows it changed. */
  protected run(query: Query): Promise<number> {
    return this.database.statement(query)
  }

  /** Like `run`, for a statement that deletes. */
  protected runDeletion(query: Query): Promise<number> {
    return this.database.deletion(transaction => transaction.run(query))
  }

  /** Deletes a bounded number of entries of a cache that were not used since; true when there may be more. */
  protected async deleteUnused(table: RawSql, usedBefore: number): Promise<boolean> {
    const unused = sql`used_at < ${usedBefore}`
    const remove = (transaction: Transaction) => this.deleteSome(transaction, table, unused, unusedPerDelete)
    return (await this.database.deletion(remove)) > 0
  }

  /** Deletes up to `limit` matching rows, so that other writers do not wait long; returns how many. */
  protected deleteSome(transaction: Transaction, table: RawSql, where: Query, limit: number) {
    const { rowName } = this.database
    const some = sql`SELECT ${rowName} FROM ${table} WHERE ${where} LIMIT ${raw(String(limit))}`
    return transaction.run(sql`DELETE FROM ${table} WHERE ${rowName} IN (${some})`)
  }
}

/** Inserts many rows with few statements. 64 rows stay far below the parameter limits of both databases. */
export async function insertRows<Row>(
  transaction: Transaction,
  into: { insertAll(rows: readonly Row[]): Query },
  rows: readonly Row[],
  rowsPerInsert = 64,
): Promise<void> {
  for (const some of groupsOf(rows, rowsPerInsert)) await transaction.run(into.insertAll(some))
}
