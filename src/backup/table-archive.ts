/** A row as every database and JSON can hold it. */
export type Row = Record<string, string | number | null>

/** All tables at one moment, while others go on writing. */
export interface TableSnapshot {
  /** Names the form of the tables; rows fit only into tables of the same form. */
  schema: string
  rows(table: string): AsyncIterable<Row>
}

/** The tables that a backup holds, whatever database keeps them. */
export interface TableArchive {
  readonly tables: readonly string[]
  schema(): Promise<string>
  /** True while there is nothing but what a first start makes. */
  isUnused(): Promise<boolean>
  snapshot<Result>(work: (snapshot: TableSnapshot) => Promise<Result>): Promise<Result>
  /**
   * Empties the tables and puts the given rows in, all or nothing, and says how many there are now.
   * `rows` is asked again for a table when the database wants the work done again. Without `overwrite`
   * it fails with `already_exists` unless the tables are unused.
   */
  replace(
    rows: (table: string) => AsyncIterable<Row>,
    options: { overwrite: boolean },
  ): Promise<Record<string, number>>
}
