import { hash } from 'node:crypto'

/** The types of parameters that both databases accept. */
export type SqlValue = string | number | null | Uint8Array

export type StoredRow = Record<string, SqlValue>

/** Turns one stored value into the value that records hold. */
export type Decoder = readonly [key: string, decode: (stored: SqlValue) => unknown]

/** SQL text without parameters, such as what differs between the two databases. */
export class RawSql {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

export const raw = (text: string): RawSql => new RawSql(text)

/** A column list of a SELECT or RETURNING, with the record type of its rows. */
export class Columns<Row> extends RawSql {
  readonly decoders: readonly Decoder[]
  /** Exists for the compiler alone: it carries the type from a column list to the result of the query. */
  declare readonly row: Row

  constructor(text: string, decoders: readonly Decoder[]) {
    super(text)
    this.decoders = decoders
  }
}

/** A statement, or a part of one, with its parameters. */
export class Query<Row = unknown> {
  readonly text: string
  readonly parameters: readonly SqlValue[]
  readonly #decoders: readonly Decoder[]

  constructor(text: string, parameters: readonly SqlValue[], decoders: readonly Decoder[] = []) {
    this.text = text
    this.parameters = parameters
    this.#decoders = decoders
  }

  /** Decodes a row that the driver has just made, in place. */
  decode(stored: StoredRow): Row {
    const row: Record<string, unknown> = stored
    for (const [key, decode] of this.#decoders) row[key] = decode(row[key] as SqlValue)
    return row as Row
  }
}

/** A string is a query whose rows are returned as stored. */
export const toQuery = <Row>(query: Query<Row> | string, parameters: readonly SqlValue[]): Query<Row> =>
  typeof query === 'string' ? new Query(query, parameters) : query

// biome-ignore lint/suspicious/noExplicitAny: only `any` matches a query of every row type.
type Part = SqlValue | RawSql | Query<any>
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
/** A row has the columns of all column lists in the template. */
type RowOf<Parts extends readonly unknown[]> = Intersection<
  Parts[number] extends infer Each ? (Each extends Columns<infer Row> ? Row : never) : never
>

/** The variable parts of a template's text: column lists, compared by identity, and the text of other fragments. */
type Fragment = Columns<unknown> | string

interface Compiled {
  fragments: readonly Fragment[]
  text: string
  decoders: readonly Decoder[]
}

/** The text of a template is built once per call site, and again only where its fragments differ. */
const compiled = new WeakMap<TemplateStringsArray, Compiled>()

function compile(strings: TemplateStringsArray, parts: readonly Part[], fragments: Fragment[]): Compiled {
  const known = compiled.get(strings)
  const isSame = (fragment: Fragment, index: number): boolean => fragment === known?.fragments[index]
  if (known?.fragments.length === fragments.length && fragments.every(isSame)) return known
  let text = strings[0]!
  parts.forEach((part, index) => {
    text += (part instanceof RawSql || part instanceof Query ? part.text : '?') + strings[index + 1]!
  })
  const decoders = fragments.flatMap(fragment => (typeof fragment === 'string' ? [] : fragment.decoders))
  const result = { fragments, text, decoders }
  compiled.set(strings, result)
  return result
}

/**
 * SQL that both databases understand. A value becomes a parameter; column lists, raw text and other queries become
 * part of the text. The rows have the type of the column lists in it:
 *
 *   await database.get(sql`SELECT ${agents.columns('id', 'name')} FROM agents WHERE ${agents.where({ workspaceId, id })}`)
 *
 * The text holds no question mark of its own: PostgreSQL's parameters are numbered by replacing them.
 */
export function sql<const Parts extends readonly Part[]>(
  strings: TemplateStringsArray,
  ...parts: Parts
): Query<RowOf<Parts>> {
  const parameters: SqlValue[] = []
  const fragments: Fragment[] = []
  for (const part of parts)
    if (part instanceof Columns) fragments.push(part)
    else if (part instanceof RawSql) fragments.push(part.text)
    else if (part instanceof Query) {
      fragments.push(part.text)
      for (const value of part.parameters) parameters.push(value)
    } else parameters.push(part)
  const { text, decoders } = compile(strings, parts, fragments)
  return new Query(text, parameters, decoders)
}

/** `(?, ?, ?)`, for IN. */
export const list = (values: readonly SqlValue[]): Query => new Query(`(${marks(values.length)})`, values)

/** `?, ?, ?` for so many parameters. */
export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ')

/** `(VALUES (?, ?), …)`, for IN. */
export const tuples = (rows: readonly (readonly SqlValue[])[]): Query =>
  new Query(`(VALUES ${rows.map(row => `(${marks(row.length)})`).join(', ')})`, rows.flat())

/** An index entry has a limited size: a longer text becomes its beginning and a hash. */
export const indexedText = (text: string): string =>
  text.length <= 200 ? text : `${text.slice(0, 150).toWellFormed()}…${hash('sha256', text, 'base64url')}`
