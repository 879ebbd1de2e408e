import pg from 'pg'
import type { Transaction } from '../../database/database.ts'
import { type Query, type SqlValue, toQuery } from '../../database/sql.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { postgresError } from './postgres-error.ts'

const int8 = 20
/** Counts and times are far below 2^53, so they travel as plain numbers. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

const numbered = new LruMap<string, string>(500)

/** `?` becomes `$1`, `$2`, …; the statements hold no other question mark. */
function numberParameters(sql: string): string {
  let text = numbered.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll('?', () => `$${++count}`)
    numbered.set(sql, text)
  }
  return text
}

export interface Queryable {
  query(text: string, values: SqlValue[]): Promise<pg.QueryResult>
}

/** Statements on a connection or a pool. */
export class PostgresQueries implements Transaction {
  readonly #client: Queryable

  constructor(client: Queryable) {
    this.#client = client
  }

  async get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return (await this.all<Row>(query, ...parameters))[0]
  }

  async all<Row>(given: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const query = toQuery(given, parameters)
    return (await this.#query(query)).rows.map(row => query.decode(row))
  }

  async run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    return (await this.#query(toQuery(query, parameters))).rowCount ?? 0
  }

  async #query({ text, parameters }: Query): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(numberParameters(text), [...parameters])
    } catch (error) {
      throw postgresError(error)
    }
  }
}
