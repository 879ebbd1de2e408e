import { Columns, type Decoder, Query, RawSql, type SqlValue } from './sql.ts'

interface StoredColumn {
  readonly stored: 'text' | 'integer' | 'real' | 'bytes'
  readonly isOptional?: boolean
}

/** How a column's value is stored: without these functions, as it is. */
export interface ColumnType<Value> extends StoredColumn {
  encode?(value: Value): SqlValue
  decode?(stored: SqlValue): Value
}

// Overloads, since a generic with a default would be inferred as `any` from the description around it.
export function text(): ColumnType<string>
export function text<Value extends string>(): ColumnType<Value>
export function text(): ColumnType<string> {
  return { stored: 'text' }
}
export const integer = (): ColumnType<number> => ({ stored: 'integer' })
export const real = (): ColumnType<number> => ({ stored: 'real' })
export const bytes = (): ColumnType<Uint8Array> => ({ stored: 'bytes' })

/** Stored as 0 or 1. */
export const flag = (): ColumnType<boolean> => ({
  stored: 'integer',
  encode: value => (value ? 1 : 0),
  decode: stored => stored === 1,
})

/** Stored as JSON text. */
export const json = <Value>(): ColumnType<Value> => ({
  stored: 'text',
  encode: value => JSON.stringify(value),
  decode: stored => JSON.parse(stored as string) as Value,
})

/** A column that may be NULL, which is `undefined` in records. */
export const optional = <Value>(type: ColumnType<Value>): ColumnType<Value | undefined> => ({
  stored: type.stored,
  isOptional: true,
  encode: value => (value === undefined ? null : encode(type, value)),
  decode: stored => (stored === null ? undefined : decode(type, stored)),
})

const encode = <Value>(type: ColumnType<Value>, value: Value): SqlValue =>
  type.encode ? type.encode(value) : (value as SqlValue)

const decode = <Value>(type: ColumnType<Value>, stored: SqlValue): Value =>
  type.decode ? type.decode(stored) : (stored as Value)

/** Omits the value type, which as a contextual type would decide what `text()` and the other functions return. */
type ColumnTypes = Record<string, StoredColumn>
type Row<Types extends ColumnTypes> = {
  [Key in keyof Types]: Types[Key] extends ColumnType<infer Value> ? Value : never
}
type OptionalKeys<Types extends ColumnTypes> = {
  [Key in keyof Types]: undefined extends Row<Types>[Key] ? Key : never
}[keyof Types]
/** A new row: a column that may be NULL can be left out. */
type NewRow<Types extends ColumnTypes> = Omit<Row<Types>, OptionalKeys<Types>> &
  Partial<Pick<Row<Types>, OptionalKeys<Types>>>
/** Rows by the values of some columns. */
type Key<Types extends ColumnTypes> = { [Name in keyof Types]?: NonNullable<Row<Types>[Name]> }

/** The record of a whole row. */
export type RowOf<T> = T extends Table<infer Types> ? { [Key in keyof Types]: Row<Types>[Key] } : never

const columnName = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Names a computed column in a SELECT: sql`SELECT COUNT(*) ${as('total', integer())} FROM …`. */
export const as = <Key extends string, Value>(
  key: Key,
  type: ColumnType<Value>,
): Columns<{ [Name in Key]: Value }> => new Columns(`AS "${key}"`, decodersOf([[key, type]]))

const decodersOf = (columns: readonly (readonly [string, ColumnType<unknown>])[]): Decoder[] =>
  columns.flatMap(([key, type]) => (type.decode ? [[key, stored => type.decode!(stored)] as const] : []))

/**
 * The one description of a table: column names, record types and the mapping between them follow from it. Keys are in
 * camelCase, columns have the same names in snake_case. In a template the table itself is its name.
 * test/conformance/tables.test.ts holds every description against the migrated schema of both databases.
 */
export class Table<Types extends ColumnTypes> extends RawSql {
  readonly types: Types
  readonly #names: ReadonlyMap<string, string>
  /** The texts of inserts and assignments by their keys. */
  readonly #texts = new Texts()

  constructor(name: string, types: Types) {
    super(name)
    this.types = types
    this.#names = new Map(Object.keys(types).map(key => [key, columnName(key)]))
  }

  /** The column list of a SELECT or RETURNING. No keys: all columns. */
  columns<Key extends keyof Types & string = keyof Types & string>(
    ...keys: readonly Key[]
  ): Columns<Pick<Row<Types>, Key>> {
    return this.#columns(keys, '')
  }

  /** The column list for a join, where the query calls the table `alias`. */
  columnsOf<Key extends keyof Types & string = keyof Types & string>(
    alias: string,
    ...keys: readonly Key[]
  ): Columns<Pick<Row<Types>, Key>> {
    return this.#columns(keys, `${alias}.`)
  }

  /** The keys of all other columns, for a list of nearly all of them. */
  keysExcept<Key extends keyof Types & string>(
    ...keys: readonly Key[]
  ): Exclude<keyof Types & string, Key>[] {
    const others = Object.keys(this.types).filter(key => !keys.some(each => each === key))
    return others as Exclude<keyof Types & string, Key>[]
  }

  #columns<Key extends string>(keys: readonly Key[], prefix: string): Columns<Pick<Row<Types>, Key>> {
    const chosen = keys.length > 0 ? keys : Object.keys(this.types)
    const named = chosen.map(key => {
      const name = this.#names.get(key)
      return name === key ? `${prefix}${name}` : `${prefix}${name} AS "${key}"`
    })
    return new Columns(
      named.join(', '),
      decodersOf(chosen.map(key => [key, this.types[key] as ColumnType<unknown>])),
    )
  }

  insert(row: NewRow<Types>): Query {
    return this.insertAll([row])
  }

  /** All rows have the keys of the first one. Empty lists are the caller's to avoid. */
  insertAll(rows: readonly NewRow<Types>[]): Query {
    const keys = Object.keys(rows[0]!)
    const head = this.#text('insert', keys, names => `INSERT INTO ${this.text} (${names.join(', ')}) VALUES `)
    const row = this.#text('row', keys, names => `(${names.map(() => '?').join(', ')})`)
    const parameters: SqlValue[] = []
    for (const each of rows) for (const key of keys) parameters.push(this.#encode(each, key))
    return new Query(rows.length === 1 ? head + row : head + rows.map(() => row).join(', '), parameters)
  }

  /** `a = ?, b = ?`, for UPDATE … SET. */
  set(values: Partial<Row<Types>>): Query {
    return this.#pairs('set', values, ', ')
  }

  /**
   * `a = ? AND b = ?`: the row or rows with exactly these values. A constant that is compared with the column of a
   * partial index belongs into the text, like a constant LIMIT: SQLite compiles the statement again (50 µs) whenever such
   * a parameter is bound.
   */
  where(values: Key<Types>): Query {
    return this.#pairs('where', values, ' AND ')
  }

  /** Takes the rows with these values, or those that match a condition; so do `update` and `delete`. */
  select<Result>(columns: Columns<Result>, rows: Key<Types> | Query): Query<Result> {
    const { text, parameters } = this.#condition(rows)
    return new Query(`SELECT ${columns} FROM ${this} WHERE ${text}`, parameters, columns.decoders)
  }

  update(rows: Key<Types> | Query, values: Partial<Row<Types>>): Query {
    const { text, parameters } = this.#condition(rows)
    const set = this.set(values)
    return new Query(`UPDATE ${this} SET ${set.text} WHERE ${text}`, [...set.parameters, ...parameters])
  }

  delete(rows: Key<Types> | Query): Query {
    const { text, parameters } = this.#condition(rows)
    return new Query(`DELETE FROM ${this} WHERE ${text}`, parameters)
  }

  #condition(rows: Key<Types> | Query): Query {
    return rows instanceof Query ? rows : this.where(rows)
  }

  #pairs(use: string, values: object, separator: string): Query {
    const keys = Object.keys(values)
    const pairs = this.#text(use, keys, names => names.map(name => `${name} = ?`).join(separator))
    return new Query(
      pairs,
      keys.map(key => this.#encode(values, key)),
    )
  }

  #encode(values: object, key: string): SqlValue {
    return encode(this.types[key] as ColumnType<unknown>, (values as Record<string, unknown>)[key])
  }

  /** Each text is built once for a use and a list of keys; the keys are looked up one by one, which builds no string. */
  #text(use: string, keys: readonly string[], build: (names: string[]) => string): string {
    let known = this.#texts.at(use)
    for (const key of keys) known = known.at(key)
    known.text ??= build(
      keys.map(key => {
        const name = this.#names.get(key)
        if (name === undefined) throw new Error(`The table ${this.text} has no column ${key}`)
        return name
      }),
    )
    return known.text
  }
}

class Texts {
  text: string | undefined
  readonly #next = new Map<string, Texts>()

  at(key: string): Texts {
    let next = this.#next.get(key)
    if (next === undefined) {
      next = new Texts()
      this.#next.set(key, next)
    }
    return next
  }
}

export const table = <Types extends ColumnTypes>(name: string, types: Types): Table<Types> =>
  new Table(name, types)
