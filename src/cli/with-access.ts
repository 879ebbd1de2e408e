import { AccessService } from '../access/access-service.ts'
import type { Config } from '../config.ts'
import { withAdapters } from './with-adapters.ts'

export const withAccess = <Result>(
  config: Config,
  work: (access: AccessService) => Promise<Result>,
): Promise<Result> =>
  withAdapters(config, ({ accessStore, clock, generation }) =>
    work(new AccessService(accessStore, clock, generation)),
  )
