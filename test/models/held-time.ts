/** A clock that advances only by sleeping, a constant random value, and a record of the delays. */
export function heldTime() {
  let now = 1_000_000
  const slept: number[] = []
  return {
    slept,
    pass: (milliseconds: number): void => {
      now += milliseconds
    },
    timing: {
      clock: { now: () => now },
      random: () => 0.5,
      sleep: async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
        signal?.throwIfAborted()
        slept.push(milliseconds)
        now += milliseconds
      },
    },
  }
}
