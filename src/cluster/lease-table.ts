import type { Database } from '../database/database.ts'
import { type Columns, list, type RawSql, raw, sql, tuples } from '../database/sql.ts'
import { as, text } from '../database/table.ts'
import { groupsOf } from '../kernel/groups-of.ts'

/** A row of a table, named by its key, and the lease by which a process holds it. */
export type Leased<Key> = Key & { readonly lease: string }

interface LeaseTableOptions<Key, Row> {
  table: RawSql
  /** The column of each member of the key. */
  key: { readonly [Name in keyof Key]: string }
  /** Further columns that a renewal returns. */
  returning?: Columns<Row>
}

const lease = as('lease', text())
/** Maximum number of rows that one statement names. */
const rowsPerStatement = 100

/**
 * The leases on the rows of one table. Its column `lease` names the holder, `due_at` is when the row may be claimed: the
 * end of the lease, or at once while there is no holder; NULL where there is nothing to do. How a row is claimed is up to
 * the table's own store. Every write of a holder compares the lease (`WHERE … AND lease = ?`): this is the fence.
 */
export class LeaseTable<Key extends object, Row extends object = object> {
  readonly #database: Database
  readonly #table: RawSql
  readonly #members: readonly (keyof Key)[]
  readonly #columns: RawSql
  readonly #returning: RawSql

  constructor(database: Database, { table, key, returning }: LeaseTableOptions<Key, Row>) {
    this.#database = database
    this.#table = table
    this.#members = Object.keys(key) as (keyof Key)[]
    this.#columns = raw(Object.values(key).join(', '))
    this.#returning = returning ?? raw('')
  }

  /** Extends leases. Returns the rows that are still held, by their leases. */
  async renew(held: readonly Leased<Key>[], until: number): Promise<Map<string, Row>> {
    if (held.length === 0) return new Map()
    return this.#database.transaction(async transaction => {
      const renewed = new Map<string, Row>()
      for (const some of groupsOf(held, rowsPerStatement)) {
        const keys = some.map(each => [...this.#members.map(name => each[name] as string), each.lease])
        const more = this.#returning.text === '' ? raw('') : raw(', ')
        const rows = await transaction.all(sql`
          UPDATE ${this.#table} SET due_at = ${until} WHERE (${this.#columns}, lease) IN ${tuples(keys)}
          RETURNING lease ${lease} ${more} ${this.#returning as Columns<Row>}`)
        for (const row of rows as (Row & { lease: string })[]) renewed.set(row.lease, row)
      }
      return renewed
    })
  }

  /** The leases on all rows. */
  async all(): Promise<string[]> {
    const rows = await this.#database.all(
      sql`SELECT DISTINCT lease ${lease} FROM ${this.#table} WHERE due_at IS NOT NULL AND lease IS NOT NULL`,
    )
    return rows.map(row => row.lease)
  }

  /** Ends leases now, so that their rows can be claimed. */
  async expire(leases: readonly string[], now: number): Promise<void> {
    if (leases.length === 0) return
    await this.#database.transaction(async transaction => {
      for (const some of groupsOf(leases, rowsPerStatement))
        await transaction.run(
          sql`UPDATE ${this.#table} SET due_at = ${now} WHERE due_at IS NOT NULL AND lease IN ${list(some)}`,
        )
    })
  }
}
