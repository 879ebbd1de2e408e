import type { StatementSync } from 'node:sqlite'
import type { SqlValue } from './database.ts'

const maxRows = 4096
const maxCharacters = 16 << 20

/**
 * Rows that were read by key, for as long as nothing was committed, by this or by any other process:
 * SQLite's data_version tells. Asking it costs about as much as half a read, so it is asked once per turn of
 * the event loop; own commits are known at once through `invalidate`.
 */
export class RowCache {
  readonly #dataVersion: StatementSync
  readonly #rows = new Map<string, Map<string, unknown>>()
  /** Keys read once of late: a row is kept when it is read again, for rows read once only cost memory. */
  readonly #once = new Set<string>()
  #count = 0
  #characters = 0
  #version = -1
  #checked = false

  constructor(dataVersion: StatementSync) {
    this.#dataVersion = dataVersion
  }

  get(sql: string, parameters: SqlValue[], read: () => unknown): unknown {
    if (!this.#checked) this.#check()
    let rows = this.#rows.get(sql)
    if (!rows) {
      rows = new Map()
      this.#rows.set(sql, rows)
    }
    const key = parameters.length === 1 ? String(parameters[0]) : JSON.stringify(parameters)
    const known = rows.get(key)
    if (known !== undefined) return known
    const row = read()
    if (row !== undefined && this.#isReadAgain(key)) this.#keep(rows, key, row as Record<string, unknown>)
    return row
  }

  invalidate(): void {
    this.#checked = false
  }

  #check(): void {
    this.#checked = true
    setImmediate(() => {
      this.#checked = false
    })
    const version = (this.#dataVersion.get() as { data_version: number }).data_version
    if (version !== this.#version) {
      this.#version = version
      this.#clear()
    }
  }

  #isReadAgain(key: string): boolean {
    if (this.#once.has(key)) return true
    if (this.#once.size >= maxRows) this.#once.clear()
    this.#once.add(key)
    return false
  }

  #keep(rows: Map<string, unknown>, key: string, row: Record<string, unknown>): void {
    let characters = key.length
    for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length
    if (characters > maxCharacters / 16) return
    if (this.#count >= maxRows || this.#characters + characters > maxCharacters) this.#clear()
    rows.set(key, row)
    this.#count++
    this.#characters += characters
  }

  #clear(): void {
    for (const rows of this.#rows.values()) rows.clear()
    this.#count = 0
    this.#characters = 0
  }
}
