import { openAdapters } from '../app/open-adapters.ts'
import type { Adapters } from '../app/runtime-parts.ts'
import type { Config } from '../config.ts'

/** Works on the stored data itself, so a server may run or not; one that runs sees the change at once. */
export async function withAdapters<Result>(
  config: Config,
  work: (adapters: Adapters) => Promise<Result>,
): Promise<Result> {
  const adapters = await openAdapters(config)
  try {
    return await work(adapters)
  } finally {
    await adapters.close()
  }
}
