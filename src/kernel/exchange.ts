/** Messages about one subject between the processes that share a database. They may get lost. */
export interface Exchange {
  /** To the other processes. */
  send(message: string): void
  /** From the other processes. */
  receive(handler: (message: string) => void): void
}

/** For a process that runs alone. */
export const noExchange: Exchange = { send: () => {}, receive: () => {} }
