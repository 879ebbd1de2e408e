const factor = Number(process.env['TEST_ROUNDS'] ?? 1)

/**
 * How often a drill or a property is repeated. `npm test` takes the given count; the long suite, which runs the files
 * that import this one, multiplies it by TEST_ROUNDS.
 */
export const rounds = (count: number): number => count * factor

/** The seed of generated values: fixed, except in the long suite, which chooses one (or takes TEST_SEED). */
export const seed = Number(process.env['TEST_SEED'] ?? 20_261_115)
