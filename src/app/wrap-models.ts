import type {
  EnvironmentModels,
  ModelConnectors,
  OpenedModels,
  OpenedType,
} from '../models/workspace-models.ts'
import type { Adapters } from './adapters.ts'

/** What is put around the models of a type. */
export type ModelWrappers = { [Type in OpenedType]?: (model: OpenedModels[Type]) => OpenedModels[Type] }

/** The models of the server settings and of workspaces, each with its wrapper. */
export function wrapModels(
  { environmentModels, connectors }: Adapters,
  wrappers: ModelWrappers,
): Pick<Adapters, 'environmentModels' | 'connectors'> {
  const environment: Record<string, unknown> = { ...environmentModels }
  const connecting: Record<string, unknown> = { ...connectors }
  for (const [type, wrap] of Object.entries(wrappers) as [OpenedType, (model: unknown) => unknown][]) {
    if (environmentModels[type]) environment[type] = wrap(environmentModels[type])
    const connect: ModelConnectors[OpenedType] = connectors[type]
    connecting[type] = async (...connection: Parameters<typeof connect>) => wrap(await connect(...connection))
  }
  return {
    environmentModels: environment as EnvironmentModels,
    connectors: connecting as ModelConnectors,
  }
}
