import fc from 'fast-check'
import { seed } from './rounds.ts'

/**
 * Loaded before every test file (scripts/test.ts): properties are checked with the values of this seed, so that a
 * failure comes from a change and not from chance. A failure prints its seed.
 */
fc.configureGlobal({ seed })
