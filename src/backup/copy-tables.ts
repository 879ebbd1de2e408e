import { createHash } from 'node:crypto'
import { BackupError } from './archive-format.ts'
import type { Row, TableArchive } from './table-archive.ts'

/** A checksum of rows in any order. */
class RowSum {
  readonly #sum = new Uint8Array(32)
  count = 0

  add(row: Row): void {
    const sorted = Object.keys(row)
      .sort()
      .map(name => [name, row[name]])
    const hash = createHash('sha256').update(JSON.stringify(sorted)).digest()
    let carry = 0
    for (let at = 0; at < hash.length; at++) {
      carry += this.#sum[at]! + hash[at]!
      this.#sum[at] = carry & 0xff
      carry >>= 8
    }
    this.count++
  }

  equals(other: RowSum): boolean {
    return this.count === other.count && Buffer.compare(this.#sum, other.#sum) === 0
  }
}

async function* summed(rows: AsyncIterable<Row>, sum: RowSum, signal: AbortSignal): AsyncGenerator<Row> {
  for await (const row of rows) {
    signal.throwIfAborted()
    sum.add(row)
    yield row
  }
}

/** Copies all rows at one moment into an unused database, and compares them. Returns their numbers by table. */
export function copyTables(
  from: TableArchive,
  to: TableArchive,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  return from.snapshot(async source => {
    const sent = new Map<string, RowSum>()
    const rows = (table: string): AsyncIterable<Row> => {
      const sum = new RowSum()
      sent.set(table, sum)
      return summed(source.rows(table), sum, signal)
    }
    if ((await to.schema()) !== source.schema)
      throw new BackupError(
        'The two databases have different schemas. Start the server once, then try again.',
      )
    if (!(await to.isUnused()))
      throw new BackupError('The other database already has data. Nothing was changed. Use an empty one.')
    const counts = await to.replace(rows, { overwrite: false })
    await to.snapshot(async stored => {
      for (const [table, sum] of sent) {
        const arrived = new RowSum()
        for await (const row of stored.rows(table)) arrived.add(row)
        if (!arrived.equals(sum))
          throw new BackupError(
            `The rows of the table ${table} differ after copying. Keep using this database.`,
          )
      }
    })
    return counts
  })
}
