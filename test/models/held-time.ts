/** Time that passes only by sleeping, and chance that is none; what was slept is noted. */
export function heldTime() {
  let now = 1_000_000
  const slept: number[] = []
  return {
    slept,
    pass: (milliseconds: number): void => {
      now += milliseconds
    },
    surroundings: {
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
