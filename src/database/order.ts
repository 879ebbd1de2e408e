import { invalidField } from '../kernel/app-error.ts'
import { Query, type SqlValue } from './sql.ts'

interface SortKey {
  column: string
  isDescending: boolean
}

/** A total order of a list: the last column is unique among its rows, and an index has the same columns. */
export class Order {
  readonly keys: readonly SortKey[]
  readonly text: string

  constructor(...columns: string[]) {
    this.text = columns.join(', ')
    this.keys = columns.map(column => ({
      column: column.replace(/ DESC$/, ''),
      isDescending: column.endsWith(' DESC'),
    }))
  }

  /** The sort keys of a row under separate names, since a list may not select these columns. */
  get selected(): string {
    return this.keys.map(({ column }, index) => `${column} AS "sort_key_${index}"`).join(', ')
  }

  /** This order by those names, for a query around the one that selects them. */
  get ofSelected(): Order {
    return new Order(
      ...this.keys.map(({ isDescending }, index) => `sort_key_${index}${isDescending ? ' DESC' : ''}`),
    )
  }

  get reversed(): Order {
    return new Order(
      ...this.keys.map(({ column, isDescending }) => `${column}${isDescending ? '' : ' DESC'}`),
    )
  }

  /** Takes the keys out of a row. */
  takeKeys(row: Record<string, unknown>): SqlValue[] {
    return this.keys.map((_, index) => {
      const name = `sort_key_${index}`
      const value = row[name]
      delete row[name]
      return value as SqlValue
    })
  }

  /** The rows after the one with these keys. */
  after(values: readonly SqlValue[]): Query {
    const [first, second] = this.keys
    const than = ({ isDescending }: SortKey): string => (isDescending ? '<' : '>')
    if (!second) return new Query(`${first!.column} ${than(first!)} ?`, values)
    if (first!.isDescending === second.isDescending)
      return new Query(`(${first!.column}, ${second.column}) ${than(first!)} (?, ?)`, values)
    // A comparison of pairs has one direction. The first condition finds the place in the index.
    return new Query(
      `${first!.column} ${than(first!)}= ? AND (${first!.column} ${than(first!)} ? OR ${second.column} ${than(second)} ?)`,
      [values[0]!, values[0]!, values[1]!],
    )
  }
}

interface Cursor {
  page: number
  values: SqlValue[]
}

/** A cursor holds the order, so that one of another list is refused, and the number of its page. */
export const encodeCursor = (order: Order, { page, values }: Cursor): string =>
  Buffer.from(JSON.stringify([order.text, page, ...values])).toString('base64url')

export function decodeCursor(order: Order, cursor: string): Cursor {
  try {
    const [text, page, ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const isValue = (value: unknown): value is SqlValue =>
      typeof value === 'string' || Number.isSafeInteger(value)
    if (text === order.text && Number.isSafeInteger(page) && values.length === order.keys.length)
      if (values.every(isValue)) return { page: page as number, values }
  } catch {
    // The text is not a cursor of this server.
  }
  throw invalidField('/cursor', 'is not a cursor of this list; send the next_cursor of its previous page')
}
