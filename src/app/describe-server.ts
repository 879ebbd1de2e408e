import type { Cluster } from '../cluster/cluster.ts'
import { processName } from '../cluster/lease-name.ts'
import type { Config } from '../config/config.ts'
import type { ServerFeature } from '../contract/server-record.ts'
import type { ServerInfo } from '../http/routes/server-routes.ts'
import { isoTime } from '../kernel/clock.ts'

const endpoint = (config: { model: string } | undefined, name: string): ServerFeature => ({
  ready: config !== undefined,
  name: config?.model ?? null,
  settings: [`${name}_BASE_URL`, `${name}_MODEL`, `${name}_API_KEY`],
})

export const describeServer = (
  config: Config,
  scrub: { countDamaged(): Promise<number> },
  cluster: Pick<Cluster, 'members'>,
): ServerInfo => ({
  version: async () => (await import('./program-version.ts')).programVersion(),
  database: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
  files: config.blobUrl === undefined ? 'disk' : 's3',
  damagedFiles: () => scrub.countDamaged(),
  replicas: async () =>
    (await cluster.members()).map(({ id, address, version, startedAt }) => ({
      id,
      address,
      version,
      started_at: isoTime(startedAt),
      is_this: id === processName,
    })),
  features: {
    embedding: endpoint(config.embedding, 'EMBEDDING'),
    rerank: endpoint(config.rerank, 'RERANK'),
    transcription: endpoint(config.transcribe, 'TRANSCRIBE'),
    speech: endpoint(config.speech, 'SPEECH'),
    web_search: {
      ready: config.webSearch !== undefined,
      name: null,
      settings: ['WEB_SEARCH_URL', 'WEB_SEARCH_API_KEY'],
    },
  },
  settings: config.shownSettings,
})
