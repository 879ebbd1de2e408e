import { AccessService } from '../access/access-service.ts'
import type { Config } from '../config.ts'
import { openAdapters } from '../open-adapters.ts'

/** Works on the database itself, so a server may run or not; one that runs sees the change at once. */
export async function withAccess<Result>(
  config: Config,
  work: (access: AccessService) => Promise<Result>,
): Promise<Result> {
  const adapters = await openAdapters(config)
  try {
    return await work(new AccessService(adapters.accessStore, adapters.clock))
  } finally {
    await adapters.close()
  }
}
