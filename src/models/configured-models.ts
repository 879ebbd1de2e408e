import { LeastRecentMap } from '../kernel/least-recent-map.ts'
import { type LanguageModel, type LanguageModels, ModelNotConfigured } from './language-model.ts'
import type { ModelSettingsService } from './model-settings-service.ts'
import type { ModelSettings } from './model-settings-store.ts'

/** What is needed to call a model of a workspace. Its address is not trusted: private ones are refused. */
export interface ModelConnection {
  /** Its name in the workspace, for messages. */
  name: string
  baseUrl: string
  apiKey: string | undefined
  model: string
}

export type ConnectModel = (workspaceId: string, connection: ModelConnection) => Promise<LanguageModel>

/** The model of the server settings. `name` is MODEL_NAME. */
export interface EnvironmentModel {
  name: string
  connect(workspaceId: string): LanguageModel
}

const maxConnections = 1000
const shownNames = 20

/** The settings fill in what a request does not set. */
const withDefaults = (inner: LanguageModel, { temperature, maxTokens }: ModelSettings): LanguageModel => ({
  name: inner.name,
  generate: (request, onText, signal) =>
    inner.generate(
      {
        ...request,
        temperature: request.temperature ?? temperature,
        maxTokens: request.maxTokens ?? maxTokens,
      },
      onText,
      signal,
    ),
})

/** The models of a workspace, then the model of the server settings. */
export class ConfiguredModels implements LanguageModels {
  readonly #settings: ModelSettingsService
  readonly #connect: ConnectModel
  readonly environment: EnvironmentModel | undefined
  /** By workspace, id and version, so that every process sees a change at once. Workspaces never share one. */
  readonly #connected = new LeastRecentMap<string, LanguageModel>(maxConnections)

  constructor(
    settings: ModelSettingsService,
    connect: ConnectModel,
    environment: EnvironmentModel | undefined,
  ) {
    this.#settings = settings
    this.#connect = connect
    this.environment = environment
  }

  async find(workspaceId: string, name: string | undefined): Promise<LanguageModel> {
    const wanted = name?.trim() ?? ''
    const settings = await this.#settings.store.find(
      workspaceId,
      wanted === '' ? { isDefault: true } : { name: wanted },
    )
    if (settings) return this.connect(workspaceId, settings)
    if (this.environment && (wanted === '' || wanted === this.environment.name))
      return this.connectEnvironment(workspaceId, this.environment)
    throw await this.#missing(workspaceId, wanted)
  }

  /** Fails with a `ModelNotConfigured` when its key cannot be decrypted any more. */
  async connect(workspaceId: string, settings: ModelSettings): Promise<LanguageModel> {
    const key = `${workspaceId} ${settings.id} ${settings.version}`
    const known = this.#connected.get(key)
    if (known) return known
    const { name, baseUrl, model } = settings
    const apiKey = this.#settings.openKey(workspaceId, settings)
    const connected = withDefaults(
      await this.#connect(workspaceId, { name, baseUrl, apiKey, model }),
      settings,
    )
    this.#connected.set(key, connected)
    return connected
  }

  connectEnvironment(workspaceId: string, environment: EnvironmentModel): LanguageModel {
    const known = this.#connected.get(workspaceId)
    if (known) return known
    const connected = environment.connect(workspaceId)
    this.#connected.set(workspaceId, connected)
    return connected
  }

  async #missing(workspaceId: string, wanted: string): Promise<ModelNotConfigured> {
    const listed = (await this.#settings.store.list(workspaceId)).map(({ name }) => name)
    const names = this.environment ? [...listed, this.environment.name] : listed
    const shown =
      names.slice(0, shownNames).join(', ') +
      (names.length > shownNames ? ` and ${names.length - shownNames} more` : '')
    if (names.length === 0)
      return new ModelNotConfigured(
        `${wanted === '' ? 'No model is configured' : `There is no model "${wanted}", and no other model is configured`}: set MODEL_BASE_URL and MODEL_NAME (and MODEL_API_KEY), or add one with POST /api/v1/model/create`,
      )
    return new ModelNotConfigured(
      wanted === ''
        ? `There is no default model: choose one of ${shown}, or set a default with POST /api/v1/model/update`
        : `There is no model "${wanted}": choose one of ${shown}, or add it with POST /api/v1/model/create`,
    )
  }

  async defaultName(workspaceId: string): Promise<string> {
    return (
      (await this.#settings.store.find(workspaceId, { isDefault: true }))?.name ??
      this.environment?.name ??
      ''
    )
  }
}
