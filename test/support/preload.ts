/** Loaded before every test file (scripts/test.ts). */
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { seed } from './rounds.ts'

/**
 * Properties are checked with the values of this seed, so that a failure comes from a change and not from chance. A
 * failure prints its seed. The library takes longer to load than many tests take, so the others do without it.
 */
if (readFileSync(process.argv[1]!, 'utf8').includes("from 'fast-check'")) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ seed })
}

/**
 * The test runner tracks every promise, only to report an uncaught error with its test. That takes more CPU time than
 * most of what is tested. Without it an uncaught error still fails its file, with its message.
 */
const { createHook } = asyncHooks
Object.assign(asyncHooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
})
