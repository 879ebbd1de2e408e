import { DocumentFailure } from '../document-failure.ts'

const maxCells = 2_000_000
const maxWidened = 20_000_000

/** Counts cells over a whole document, so that many small tables are no way around the limits. */
export class CellBudget {
  #cells = 0
  #widened = 0

  take(cells: number): void {
    this.#cells += cells
    if (this.#cells > maxCells) this.#refuse()
  }

  /** Rows are widened to the columns of their table; scattered cells could make far more of them than there are. */
  takeWidened(cells: number): void {
    this.#widened += cells
    if (this.#widened > maxWidened) this.#refuse()
  }

  #refuse(): never {
    throw new DocumentFailure('too_large', 'The tables have more than 2,000,000 cells. Split the file.')
  }
}
