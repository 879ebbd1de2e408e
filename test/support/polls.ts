import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Yields until the time is over, at first every few milliseconds, and then after a tenth of the time that has passed:
 * a long wait must not slow down what it waits for.
 */
export async function* polls(seconds: number): AsyncGenerator<void> {
  const start = Date.now()
  for (let waited = 0; waited < seconds * 1000; waited = Date.now() - start) {
    yield
    await sleep(Math.min(5 + waited / 10, 200))
  }
}
