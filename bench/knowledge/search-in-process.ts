import { defaultWorkspaceId } from '../../src/access/access-service.ts'
import type { Adapters } from '../../src/app/adapters.ts'
import { openAdapters } from '../../src/app/adapters.ts'
import { createKnowledge } from '../../src/app/create-knowledge.ts'
import { Metrics } from '../../src/app/metrics.ts'
import { openRecognition } from '../../src/app/open-recognition.ts'
import { readConfig } from '../../src/config/config.ts'
import { FileService } from '../../src/files/file-service.ts'
import { ConfiguredModels } from '../../src/models/configured-models.ts'
import { ModelSettingsService } from '../../src/models/model-settings-service.ts'
import { WorkspaceModels } from '../../src/models/workspace-models.ts'
import { takeJob } from '../other-process.ts'
import type { SearchMode } from './search-client.ts'
import { textVector } from './text-vector.ts'
import { type Times, timesOf } from './times.ts'

export interface InProcessJob {
  dataFolder: string
  knowledgeId: string
  warmUp: string[]
  questions: string[]
  modes: SearchMode[]
  topK: number
}

/**
 * The search of the server with default settings, but with precomputed vectors of the questions, so that the time of an
 * embeddings endpoint is not included.
 */
takeJob(async (job: InProcessJob): Promise<Times[]> => {
  const config = readConfig({ DATA_DIR: job.dataFolder, LOG_LEVEL: 'silent' })
  const vectors = new Map([...job.warmUp, ...job.questions].map(text => [text, textVector(text)]))
  const adapters: Adapters = await openAdapters(config)
  const query = { embed: async (_: string, texts: string[]) => texts.map(text => vectors.get(text)!) }
  const settings = new ModelSettingsService(adapters.stores.models, adapters.secretBox, adapters.clock)
  const embedding = { ingestion: query, query }
  const models = new WorkspaceModels(settings, adapters.connectors, { embedding })
  const chat = new ConfiguredModels(settings, adapters.connectModel, undefined)
  const recognition = openRecognition(adapters, { chat, others: models }, config)
  const files = new FileService(adapters.stores.files, adapters.blobs, adapters.clock, config.maxFileBytes)
  const { search } = createKnowledge(adapters, files, models, recognition, config, new Metrics())
  const results: Times[] = []
  for (const mode of job.modes) {
    const ask = (query: string) =>
      search.search(defaultWorkspaceId, job.knowledgeId, { query, mode, topK: job.topK })
    for (const query of job.warmUp) await ask(query)
    const took: number[] = []
    for (const query of job.questions) took.push((await ask(query)).tookMilliseconds)
    results.push(timesOf(took))
  }
  await adapters.vectorIndex.close()
  await adapters.keywordIndex.close()
  await adapters.workers.close()
  await adapters.close()
  return results
})
