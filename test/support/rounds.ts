const factor = Number(process.env['TEST_ROUNDS'] ?? 1)

/**
 * How often a drill or a property is repeated. `npm test` takes the given count; the long suite, which runs the files
 * that import this one, multiplies it by TEST_ROUNDS.
 */
export const rounds = (count: number): number => count * factor

/**
 * Each value of the first list with one or two of the second, in turn, so that those of both lists occur; in the long
 * suite all combinations. For matrices of operations with ways to attack them, of which there are thousands.
 */
export function pairs<One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] {
  const chosen = (at: number): Other[] =>
    factor > 1 ? [...others] : [others[at % others.length]!, others[(at * 3 + 1) % others.length]!]
  return ones.flatMap((one, at) => [...new Set(chosen(at))].map((other): [One, Other] => [one, other]))
}

/** The seed of generated values: fixed, except in the long suite, which chooses one (or takes TEST_SEED). */
export const seed = Number(process.env['TEST_SEED'] ?? 20_261_115)
