export type SqlValue = string | number | null | Uint8Array

/** Reads see what is committed. SQL is written once for both dialects, with `?` for parameters. */
export interface Reader {
  get<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined>
  all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]>
}

export interface Transaction extends Reader {
  /** How many rows it changed. */
  run(sql: string, ...parameters: SqlValue[]): Promise<number>
}

/** A reader that sees one moment of the database, however long it reads. */
export interface Snapshot extends Reader {
  each<Row>(sql: string, ...parameters: SqlValue[]): AsyncIterable<Row>
}

export interface Database extends Reader {
  readonly dialect: 'sqlite' | 'postgres'
  /** Ends a SELECT whose rows must not change until the transaction ends. */
  readonly forUpdate: string
  /** Ends a SELECT that takes one row for itself: rows that another process is taking right now are passed over. */
  readonly forClaim: string
  /** Names a row by its place, for deletes of so many at most. */
  readonly rowName: string
  /** Reads a text column as its UTF-8 bytes: what is only passed on need not become a string and bytes again. */
  bytesOf(column: string): string
  /**
   * All or nothing. When it resolves, what was written survives power loss.
   * `work` may run again after a conflict, and awaits nothing but its transaction.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>
  /** See `Generation` in the kernel. */
  generation(): number | undefined
  /** Fails with `unavailable` when the database cannot be read or written. */
  check(): Promise<void>
  close(): Promise<void>
}

/** What a keyword is looked for in; the case is folded here, since the databases fold it differently. */
export const searchText = (...parts: string[]): string => parts.join('\n').toLowerCase()

/** What a person typed, for `search LIKE ? ESCAPE '\'`. */
export const searchPattern = (keyword: string): string =>
  `%${searchText(keyword).replace(/[\\%_]/g, '\\$&')}%`
