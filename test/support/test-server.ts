import { type Adapters, openAdapters } from '../../src/app/adapters.ts'
import { createRuntime } from '../../src/app/runtime.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import type { FreshDatabase } from './fresh-database.ts'
import { migratedDatabase } from './migrated-database.ts'

export const operatorToken = 'operator-token-of-the-tests'

export interface TestServer {
  base: string
  config: Config
  /** Sends requests as the operator. */
  api: ApiClient
  stop(): Promise<void>
}

/**
 * The whole server in this process, on a free port, with an empty database of the kind under test or the given one.
 * `prepare` can replace what the adapters do.
 */
export async function startTestServer(
  environment: Record<string, string> = {},
  given?: FreshDatabase,
  prepare: (adapters: Adapters) => void = () => {},
): Promise<TestServer> {
  const database = given ?? (await migratedDatabase())
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: database.folder,
    DATABASE_URL: database.url,
    ...environment,
  })
  const adapters = await openAdapters(config)
  prepare(adapters)
  const runtime = createRuntime(adapters, config)
  await runtime.access.bootstrap(operatorToken, true)
  const base = await runtime.server.listen({ host: config.host, port: config.port })
  runtime.start()
  return {
    base,
    config,
    api: apiClient(base, operatorToken),
    stop: async () => {
      await runtime.stop()
      if (!given) await database.drop()
    },
  }
}
