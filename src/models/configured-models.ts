import { LeastRecentMap } from '../kernel/least-recent-map.ts'
import { SecretUnreadable } from '../kernel/secret-box.ts'
import { type LanguageModel, type LanguageModels, ModelNotConfigured } from './language-model.ts'
import { type ModelSettingsService, unreadableKey } from './model-settings-service.ts'
import type { ModelSettings } from './model-settings-store.ts'

/** Everything that is needed to call a model. The address is a stranger's wish: private ones stay out of reach. */
export interface ModelConnection {
  /** What people call it, for messages. */
  name: string
  baseUrl: string
  apiKey: string | undefined
  model: string
}

export type ConnectModel = (connection: ModelConnection) => Promise<LanguageModel>

/** The model of the server's own settings. `name` is MODEL_NAME. */
export interface EnvironmentModel {
  name: string
  model: LanguageModel
}

const keptModels = 200
const shownNames = 20

/** What the settings say counts where a request leaves it open. */
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

/** The models of a workspace, and behind them the one of the server's settings. */
export class ConfiguredModels implements LanguageModels {
  readonly #settings: ModelSettingsService
  readonly #connect: ConnectModel
  readonly environment: EnvironmentModel | undefined
  /** By workspace, id and version, so that a change is seen at once, by every process. */
  readonly #connected = new LeastRecentMap<string, LanguageModel>(keptModels)

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
    const settings =
      wanted === ''
        ? await this.#settings.findDefault(workspaceId)
        : await this.#settings.findByName(workspaceId, wanted)
    if (settings) return this.connect(workspaceId, settings)
    if (this.environment && (wanted === '' || wanted === this.environment.name)) return this.environment.model
    throw await this.#missing(workspaceId, wanted)
  }

  /** Fails with a `ModelNotConfigured` when its key cannot be read any more. */
  async connect(workspaceId: string, settings: ModelSettings): Promise<LanguageModel> {
    const key = `${workspaceId} ${settings.id} ${settings.version}`
    const known = this.#connected.get(key)
    if (known) return known
    const { name, baseUrl, model } = settings
    const apiKey = this.#openKey(workspaceId, settings)
    const connected = withDefaults(await this.#connect({ name, baseUrl, apiKey, model }), settings)
    this.#connected.set(key, connected)
    return connected
  }

  #openKey(workspaceId: string, settings: ModelSettings): string | undefined {
    try {
      return this.#settings.openKey(workspaceId, settings)
    } catch (error) {
      throw error instanceof SecretUnreadable ? new ModelNotConfigured(unreadableKey(settings.name)) : error
    }
  }

  async #missing(workspaceId: string, wanted: string): Promise<ModelNotConfigured> {
    const listed = (await this.#settings.list(workspaceId)).map(({ name }) => name)
    const names = this.environment ? [...listed, this.environment.name] : listed
    const shown =
      names.slice(0, shownNames).join(', ') +
      (names.length > shownNames ? ` and ${names.length - shownNames} more` : '')
    if (names.length === 0)
      return new ModelNotConfigured(
        `${wanted === '' ? 'No model is configured' : `There is no model ${wanted}, and no other one is configured`}: set MODEL_BASE_URL and MODEL_NAME (and MODEL_API_KEY), or add one with POST /api/v1/model/create`,
      )
    return new ModelNotConfigured(
      wanted === ''
        ? `No model is the default: name one of ${shown}, or make one the default with POST /api/v1/model/update`
        : `There is no model ${wanted}: name one of ${shown}, or add it with POST /api/v1/model/create`,
    )
  }

  async defaultName(workspaceId: string): Promise<string> {
    return (await this.#settings.findDefault(workspaceId))?.name ?? this.environment?.name ?? ''
  }
}
