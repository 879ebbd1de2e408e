import type { EnvironmentModel } from '../models/configured-models.ts'
import type { LanguageModel } from '../models/language-model.ts'
import type {
  EnvironmentModels,
  ModelConnectors,
  OpenedModels,
  OpenedType,
} from '../models/workspace-models.ts'
import type { Adapters } from './adapters.ts'

/** What is put around the models of each type. */
type ModelWrappers = { [Type in OpenedType]?: (model: OpenedModels[Type]) => OpenedModels[Type] } & {
  chat(model: LanguageModel): LanguageModel
}

/** The models of the server settings and of workspaces, each with its wrapper. */
export function wrapModels(
  { connectModel, environmentModel, ocrModel, environmentModels, connectors }: Adapters,
  { chat, ...wrappers }: ModelWrappers,
) {
  const withChat = (model: EnvironmentModel | undefined): EnvironmentModel | undefined =>
    model && { ...model, connect: workspaceId => chat(model.connect(workspaceId)) }
  const environment: Record<string, unknown> = { ...environmentModels }
  const connecting: Record<string, unknown> = { ...connectors }
  for (const [type, wrap] of Object.entries(wrappers) as [OpenedType, (model: unknown) => unknown][]) {
    if (environmentModels[type]) environment[type] = wrap(environmentModels[type])
    const connect: ModelConnectors[OpenedType] = connectors[type]
    connecting[type] = async (...connection: Parameters<typeof connect>) => wrap(await connect(...connection))
  }
  return {
    connectModel: async (...model: Parameters<typeof connectModel>) => chat(await connectModel(...model)),
    environmentModel: withChat(environmentModel),
    ocrModel: withChat(ocrModel),
    environmentModels: environment as EnvironmentModels,
    connectors: connecting as ModelConnectors,
  }
}

/** Calls `end` after the work, with its error if it failed. Synchronous work gets no promise, which would cost more. */
export function observed<Result>(work: () => Result, end: (error?: unknown) => void): Result {
  try {
    const result = work()
    if (result instanceof Promise) result.then(() => end(), end)
    else end()
    return result
  } catch (error) {
    end(error)
    throw error
  }
}
