import type { Logger } from 'pino'
import type { AccessService } from '../access/access-service.ts'
import type { IdempotencyService } from '../idempotency/idempotency-service.ts'
import type { Metrics } from './metrics.ts'
import type { RateLimit } from './rate-limit.ts'

/** What every route needs around its own work. */
export interface ServerParts {
  access: AccessService
  idempotency: IdempotencyService
  metrics: Metrics
  /** For those who call without a token. */
  anonymous: RateLimit
  log: Logger
  /** Takes lines of the log that are already in its form; undefined when requests are not logged. */
  writeLog: ((lines: string) => void) | undefined
}
