import { serverOperations as operations } from '../../contract/server-operations.ts'
import type { ServerFeature, ServerRecord } from '../../contract/server-record.ts'
import type { ConfiguredModels } from '../../models/configured-models.ts'
import type { ModelSettingsService } from '../../models/model-settings-service.ts'
import { type Route, route } from '../call.ts'

/** What is the same for every workspace. The version is read when somebody first asks for it. */
export interface ServerInfo extends Omit<ServerRecord, 'version' | 'features'> {
  version(): Promise<string>
  features: Omit<ServerRecord['features'], 'model'>
}

const modelSettings = ['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY']

export function serverInfoRoutes(
  info: ServerInfo,
  models: Pick<ConfiguredModels, 'environment'>,
  settings: Pick<ModelSettingsService, 'findDefault' | 'keyState'>,
): Route[] {
  let version: Promise<string> | undefined

  /** A workspace's own default goes before the model of the settings, also where its key cannot be read any more. */
  const modelOf = async (workspaceId: string): Promise<ServerFeature> => {
    const own = await settings.findDefault(workspaceId)
    return {
      ready: own ? settings.keyState(workspaceId, own).problem === '' : models.environment !== undefined,
      name: own?.name ?? models.environment?.name ?? null,
      settings: modelSettings,
    }
  }

  return [
    route(operations.info, async ({ token }): Promise<ServerRecord> => {
      version ??= info.version().catch((error: unknown) => {
        version = undefined
        throw error
      })
      return {
        version: await version,
        database: info.database,
        files: info.files,
        features: { model: await modelOf(token.workspaceId), ...info.features },
        settings: token.operator ? info.settings : [],
      }
    }),
  ]
}
