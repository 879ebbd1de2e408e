/** An owner may hold at most as much as it leaves free, so that another one always finds something left. */
export class FairShare {
  readonly total: number
  #taken = 0
  readonly #held = new Map<string, number>()

  constructor(total: number) {
    this.total = total
  }

  get taken(): number {
    return this.#taken
  }

  /** The maximum for an owner while there is no other. */
  get max(): number {
    return Math.floor(this.total / 2)
  }

  held(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  /** Returns false and takes nothing if the owner would exceed its share. */
  take(owner: string, amount: number): boolean {
    const held = this.held(owner) + amount
    if (held > this.total - this.#taken - amount) return false
    this.#taken += amount
    this.#held.set(owner, held)
    return true
  }

  give(owner: string, amount: number): void {
    const held = this.held(owner) - amount
    this.#taken -= amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }
}
