import { defaultWorkspaceId } from '../../access/access-service.ts'
import { openConnections } from '../../app/connections.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { noExchange } from '../../kernel/exchange.ts'
import { askShortly, testModel } from '../../models/test-model.ts'
import { type CheckResult, check, type Finding, failed, ok, skipped } from './check.ts'

const caller = { workspaceId: defaultWorkspaceId }

/** Sends one short request to every provider in the settings. */
export async function checkModels(config: Config): Promise<CheckResult[]> {
  const connections = await openConnections(config, () => noExchange)
  const { environmentModel, environmentModels, webSearch } = connections
  const { embedding: embeddings, rerank: reranker } = environmentModels
  const answered = (name: string): Finding => ok(`${name} answered.`)
  const unset = (setting: string): Finding => skipped(`${setting} is not set.`)

  const chat = async (): Promise<Finding> => {
    if (!environmentModel) return unset('MODEL_BASE_URL')
    const model = environmentModel.connect(defaultWorkspaceId)
    const tested = await testModel(signal => askShortly(model, signal), systemClock)
    return tested.ok ? answered(environmentModel.name) : failed(tested.message)
  }
  const embedding = async (): Promise<Finding> => {
    if (!embeddings) return unset('EMBEDDING_BASE_URL')
    const { model } = config.embedding!
    const [vector] = await embeddings.query.embed(model, ['ready'], caller)
    return ok(`${model} answered with ${vector?.length} dimensions.`)
  }
  const rerank = async (): Promise<Finding> => {
    if (!reranker) return unset('RERANK_BASE_URL')
    await reranker.rerank('tea', ['green tea', 'coffee'], caller)
    return answered(config.rerank!.model)
  }
  const search = async (): Promise<Finding> => {
    if (!webSearch) return unset('WEB_SEARCH_URL')
    const found = await webSearch.search('tea', caller)
    return ok(`Found ${found.length} pages.`)
  }
  try {
    return [
      await check('language model', chat),
      await check('embedding model', embedding),
      await check('rerank model', rerank),
      await check('web search', search),
    ]
  } finally {
    connections.closeOutbound()
    await connections.code.close()
    await connections.toolServers.close()
  }
}
