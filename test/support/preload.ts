/** Loaded before every test file (scripts/test.ts). */
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { seed } from './rounds.ts'

/**
 * Properties are checked with the values of this seed, so that a failure comes from a change and not from chance. A
 * failure prints its seed. The library takes longer to load than many tests take, so the others do without it.
 */
export async function seedProperties(files: readonly string[]): Promise<void> {
  if (!files.some(file => readFileSync(file, 'utf8').includes("from 'fast-check'"))) return
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ seed })
}

await seedProperties([process.argv[1]!])

/**
 * The test runner tracks every promise, only to report an uncaught error with its test. That takes more CPU time than
 * most of what is tested. Without it an uncaught error still fails its file, with its message.
 */
const { createHook } = asyncHooks
Object.assign(asyncHooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
})

/**
 * The runner ends a file by process.exit (--test-force-exit), which would lose results that are not written yet because
 * its own process was too busy to read them.
 */
const { _handle: handle } = process.stdout as { _handle?: { setBlocking?: (isBlocking: boolean) => void } }
handle?.setBlocking?.(true)
