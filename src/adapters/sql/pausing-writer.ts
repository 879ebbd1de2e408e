import type { Transaction } from '../../database/database.ts'
import type { Query, SqlValue } from '../../database/sql.ts'

/** Statements run on the main thread: after so long other work comes in between. */
const turnMilliseconds = 2

/** The writing connection as transactions see it: it pauses between statements, so that requests are served meanwhile. */
export class PausingWriter implements Transaction {
  readonly #connection: Transaction
  #turnEnds = 0

  constructor(connection: Transaction) {
    this.#connection = connection
  }

  get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    const read = () => this.#connection.get<Row>(query as string, ...parameters)
    return this.#isOver() ? this.nextTurn().then(read) : read()
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const read = () => this.#connection.all<Row>(query as string, ...parameters)
    return this.#isOver() ? this.nextTurn().then(read) : read()
  }

  run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    const write = () => this.#connection.run(query, ...parameters)
    return this.#isOver() ? this.nextTurn().then(write) : write()
  }

  #isOver(): boolean {
    return performance.now() > this.#turnEnds
  }

  async nextTurn(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    this.#turnEnds = performance.now() + turnMilliseconds
  }
}
