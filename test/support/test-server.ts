import { openAdapters } from '../../src/app/adapters.ts'
import { createRuntime } from '../../src/app/runtime.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { freshDatabase } from './fresh-database.ts'

export const operatorToken = 'operator-token-of-the-tests'

export interface TestServer {
  base: string
  config: Config
  /** Sends requests as the operator. */
  api: ApiClient
  stop(): Promise<void>
}

/** The whole server in this process, on a free port, with an empty database of the kind under test. */
export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const database = await freshDatabase()
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: database.folder,
    DATABASE_URL: database.url,
    ...environment,
  })
  const runtime = createRuntime(await openAdapters(config), config)
  await runtime.access.bootstrap(operatorToken, true)
  const base = await runtime.server.listen({ host: config.host, port: config.port })
  runtime.start()
  return {
    base,
    config,
    api: apiClient(base, operatorToken),
    stop: async () => {
      await runtime.stop()
      await database.drop()
    },
  }
}
