interface Gate {
  reach(): void
  reached: Promise<void>
  open(): void
  opened: Promise<void>
}

function newGate(): Gate {
  const [reaching, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return {
    reach: reaching.resolve,
    reached: reaching.promise,
    open: opening.resolve,
    opened: opening.promise,
  }
}

/** Points where external calls are held, so that a test decides what happens meanwhile. */
export class Gates {
  readonly #gates = new Map<string, Gate>()

  /** Holds every call that arrives from now on. */
  hold(...names: string[]): void {
    for (const name of names) this.#gates.set(name, newGate())
  }

  async pass(name: string): Promise<void> {
    const gate = this.#gates.get(name)
    gate?.reach()
    await gate?.opened
  }

  /** Resolves when a call is held. */
  async reached(...names: string[]): Promise<void> {
    await Promise.all(names.map(name => this.#gates.get(name)?.reached))
  }

  /** Releases all of them where none is named. */
  open(...names: string[]): void {
    for (const name of names.length > 0 ? names : [...this.#gates.keys()]) {
      this.#gates.get(name)?.open()
      this.#gates.delete(name)
    }
  }
}
