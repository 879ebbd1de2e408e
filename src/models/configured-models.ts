import { LruMap } from '../kernel/lru-map.ts'
import {
  type LanguageModel,
  type LanguageModels,
  type ModelAnswer,
  ModelNotConfigured,
  type OnText,
  type TokenUsage,
  withOwnKey,
} from './language-model.ts'
import { ModelFailure } from './model-failure.ts'
import type { ModelSecrets, ModelSettingsService } from './model-settings-service.ts'
import type { ModelOptions, ModelSettings } from './model-settings-store.ts'

/** The address and secrets of a model of a workspace. The address is not trusted: private ones are refused. */
export interface ModelConnection extends ModelSecrets {
  /** Its name in the workspace, for messages. */
  name: string
  baseUrl: string
  model: string
  options: Pick<ModelOptions, 'extraBody' | 'contextLength' | 'supports'>
}

export type ConnectModel = (workspaceId: string, connection: ModelConnection) => Promise<LanguageModel>

/** The model of the server settings. `name` is MODEL_NAME. */
export interface EnvironmentModel {
  name: string
  connect(workspaceId: string): LanguageModel
}

export const connectionOf = (settings: ModelSettings, secrets: ModelSecrets): ModelConnection => {
  const { name, baseUrl, model, options } = settings
  return { name, baseUrl, model, ...secrets, options }
}

const maxConnections = 1000
const shownNames = 20

const parameterNames = [
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'seed',
  'reasoningEffort',
] as const

/** Caps the limit of a request at that of the model; a request without a limit has none. */
const limited = (maxTokens: number | undefined, maxOutput = Number.POSITIVE_INFINITY): number | undefined =>
  maxTokens === undefined ? undefined : Math.min(maxTokens, maxOutput)

const million = 1_000_000

function costOf(usage: TokenUsage, { inputPrice, outputPrice }: ModelOptions): number | undefined {
  if (inputPrice === undefined && outputPrice === undefined) return undefined
  const { promptTokens, completionTokens } = usage
  return (promptTokens * (inputPrice ?? 0) + completionTokens * (outputPrice ?? 0)) / million
}

/** The settings fill in what a request does not set. */
function withSettings(
  inner: LanguageModel,
  { temperature, maxTokens, options }: ModelSettings,
): LanguageModel {
  const set = parameterNames.filter(name => options[name] !== undefined)
  const parameters = Object.fromEntries(set.map(name => [name, options[name]]))
  return {
    name: inner.name,
    costOf: usage => costOf(usage, options),
    generate: async (request, onText, signal) => {
      const filled = {
        ...parameters,
        ...request,
        temperature: request.temperature ?? temperature,
        maxTokens: limited(request.maxTokens ?? maxTokens, options.maxOutput),
      }
      const answer = await inner.generate(filled, onText, signal)
      const cost = costOf(answer.usage, options)
      return cost === undefined ? answer : { ...answer, usage: { ...answer.usage, cost } }
    },
  }
}

/** A call that fails before any text goes to the next model; one that asked to wait comes last. */
const withFallbacks = (
  first: LanguageModel,
  others: readonly (() => Promise<LanguageModel | undefined>)[],
): LanguageModel => ({
  ...first,
  generate: async (request, onText, signal) => {
    let hasWritten = false
    const generate = async (model: LanguageModel, skipsPause: boolean): Promise<ModelAnswer> => {
      const onPiece: OnText = (piece, restarts) => {
        hasWritten = true
        onText(piece, restarts, model)
      }
      if (model === first) return model.generate({ ...request, skipsPause }, onPiece, signal)
      const own = { ...withOwnKey(request, model.name), skipsPause }
      return { model: model.name, ...(await model.generate(own, onPiece, signal)) }
    }
    const failures: ModelFailure[] = []
    const attempt = async (model: LanguageModel, skipsPause: boolean): Promise<ModelAnswer | undefined> => {
      try {
        return await generate(model, skipsPause)
      } catch (error) {
        if (!(error instanceof ModelFailure) || hasWritten || signal.aborted) throw error
        failures.push(error)
        return undefined
      }
    }
    let paused: LanguageModel | undefined
    for (const find of [async () => first, ...others]) {
      const model = await find()
      const answer = model && (await attempt(model, true))
      if (answer) return answer
      if (model && failures.at(-1)!.isPaused) paused ??= model
    }
    const answer = paused && (await attempt(paused, false))
    if (answer) return answer
    throw failures[0]
  },
})

/** The models of a workspace, then the model of the server settings. */
export class ConfiguredModels implements LanguageModels {
  readonly #settings: ModelSettingsService
  readonly #connect: ConnectModel
  readonly environment: EnvironmentModel | undefined
  /** By workspace, id and version, so that every process sees a change at once. Workspaces never share one. */
  readonly #connected = new LruMap<string, LanguageModel>(maxConnections)

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
      wanted === '' ? { type: 'chat', isDefault: true } : { type: 'chat', name: wanted },
    )
    if (settings) return this.#withFallbacks(workspaceId, settings)
    if (this.environment && (wanted === '' || wanted === this.environment.name))
      return this.connectEnvironment(workspaceId, this.environment)
    throw await this.#missing(workspaceId, wanted)
  }

  async #withFallbacks(workspaceId: string, settings: ModelSettings): Promise<LanguageModel> {
    const first = await this.connect(workspaceId, settings)
    const { fallbacks = [] } = settings.options
    if (fallbacks.length === 0) return first
    return withFallbacks(
      first,
      fallbacks.map(name => () => this.#findFallback(workspaceId, name)),
    )
  }

  /** Undefined where it does not exist any more, or cannot be used. */
  async #findFallback(workspaceId: string, name: string): Promise<LanguageModel | undefined> {
    const settings = await this.#settings.store.find(workspaceId, { type: 'chat', name })
    if (!settings)
      return name === this.environment?.name
        ? this.connectEnvironment(workspaceId, this.environment)
        : undefined
    return this.connect(workspaceId, settings).catch((error: unknown) => {
      if (!(error instanceof ModelNotConfigured)) throw error
      return undefined
    })
  }

  /** A model that is not saved. */
  async connectUnsaved(
    workspaceId: string,
    settings: ModelSettings,
    secrets: ModelSecrets,
  ): Promise<LanguageModel> {
    return withSettings(await this.#connect(workspaceId, connectionOf(settings, secrets)), settings)
  }

  /** Fails with a `ModelNotConfigured` when its key cannot be decrypted any more. */
  async connect(workspaceId: string, settings: ModelSettings): Promise<LanguageModel> {
    const key = `${workspaceId} ${settings.id} ${settings.version}`
    const known = this.#connected.get(key)
    if (known) return known
    const connection = connectionOf(settings, this.#settings.openSecrets(workspaceId, settings))
    const connected = withSettings(await this.#connect(workspaceId, connection), settings)
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
    const stored = await this.#settings.store.list(workspaceId)
    const listed = stored.filter(({ type }) => type === 'chat').map(({ name }) => name)
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

  /** The default model of the workspace, if its settings say that it can see images. */
  async findVision(workspaceId: string): Promise<LanguageModel | undefined> {
    const settings = await this.#settings.store.find(workspaceId, { type: 'chat', isDefault: true })
    return settings?.options.supports?.vision ? this.connect(workspaceId, settings) : undefined
  }

  async defaultName(workspaceId: string): Promise<string> {
    return (
      (await this.#settings.store.find(workspaceId, { type: 'chat', isDefault: true }))?.name ??
      this.environment?.name ??
      ''
    )
  }
}
