import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type SecretBox, SecretUnreadable } from '../kernel/secret-box.ts'
import { ModelNotConfigured } from './language-model.ts'
import type { ModelChange, ModelSettings, ModelSettingsStore } from './model-settings-store.ts'

/** Without `isDefault` it becomes the default where there is none. */
export type NewModel = Pick<ModelSettings, 'name' | 'baseUrl' | 'model'> &
  Partial<Pick<ModelSettings, 'isDefault' | 'maxTokens' | 'temperature'>> & { apiKey?: string | undefined }

/** Absent members stay unchanged; null removes a value. */
export type ModelUpdate = Partial<Omit<NewModel, 'apiKey' | 'maxTokens' | 'temperature'>> & {
  [Member in 'apiKey' | 'maxTokens' | 'temperature']?: NewModel[Member] | null
}

/** The state of a model's key, without the key. */
export interface KeyState {
  hasKey: boolean
  /** The last characters, if the key is long enough to show some. */
  end: string
  /** Why it cannot be used, or empty. */
  problem: string
}

const shownCharacters = 4
const minLengthToShow = 16

const contextOf = (workspaceId: string, id: string): string => `model key ${workspaceId} ${id}`

const noSuchModel = (): AppError => new AppError('not_found', 'There is no such model')
const nameTaken = (): AppError =>
  new AppError('already_exists', 'A model with this name already exists; choose another name', {
    errors: [{ path: '/name', message: 'is taken' }],
  })

function baseUrlProblem(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http:// or https:// address'
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or a password; send the key in api_key'
  return url.hash === '' ? undefined : 'must not have a part after #'
}

/** Whether the address may be called is decided when a connection is made: a name can resolve to any address by then. */
function checkBaseUrl(baseUrl: string): void {
  const problem = baseUrlProblem(baseUrl)
  if (problem) throw invalidField('/base_url', problem)
}

const isSameServer = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin

/** The models that workspaces add. Their keys are encrypted and never shown. */
export class ModelSettingsService {
  readonly store: ModelSettingsStore
  readonly #box: SecretBox | undefined
  readonly #clock: Clock

  /** Without a secret box no key can be stored. */
  constructor(store: ModelSettingsStore, box: SecretBox | undefined, clock: Clock) {
    this.store = store
    this.#box = box
    this.#clock = clock
  }

  async create(workspaceId: string, wanted: NewModel): Promise<ModelSettings> {
    checkBaseUrl(wanted.baseUrl)
    const now = this.#clock.now()
    const times = { createdAt: now, updatedAt: now }
    const id = mintId('model')
    const { apiKey, isDefault = 'if_none', maxTokens, temperature, ...named } = wanted
    const sealedKey = apiKey === undefined ? undefined : this.#seal(workspaceId, id, apiKey)
    const created = await this.store.create(
      workspaceId,
      { ...named, id, sealedKey, isDefault, maxTokens, temperature, version: 1, ...times },
      { maxModels: limits.modelsPerWorkspace },
    )
    if (created === 'name_taken') throw nameTaken()
    if (created === 'too_many')
      throw invalidField(
        '/name',
        `exceeds the limit of ${limits.modelsPerWorkspace} models in a workspace; delete one first`,
      )
    return created
  }

  async update(workspaceId: string, id: string, wanted: ModelUpdate): Promise<ModelSettings> {
    if (wanted.baseUrl !== undefined) checkBaseUrl(wanted.baseUrl)
    const updated = await this.store.update(
      workspaceId,
      id,
      current => this.#change(workspaceId, current, wanted),
      this.#clock.now(),
    )
    if (updated === 'name_taken') throw nameTaken()
    if (!updated) throw noSuchModel()
    return updated
  }

  #change(workspaceId: string, current: ModelSettings, wanted: ModelUpdate): ModelChange {
    const { name = current.name, baseUrl = current.baseUrl, model = current.model, apiKey } = wanted
    // An editor of the URL must not obtain the key by having it sent to a server of their own.
    if (apiKey === undefined && current.sealedKey !== undefined && !isSameServer(baseUrl, current.baseUrl))
      throw invalidField(
        '/api_key',
        'is required when base_url names another server: send the key again, or null for none',
      )
    return {
      name,
      baseUrl,
      model,
      isDefault: wanted.isDefault ?? current.isDefault,
      ...(apiKey !== undefined && {
        sealedKey: apiKey === null ? undefined : this.#seal(workspaceId, current.id, apiKey),
      }),
      ...(wanted.maxTokens !== undefined && { maxTokens: wanted.maxTokens ?? undefined }),
      ...(wanted.temperature !== undefined && { temperature: wanted.temperature ?? undefined }),
    }
  }

  #seal(workspaceId: string, id: string, apiKey: string): string {
    // It is sent as a header, where a line break would start another one.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw invalidField('/api_key', 'must be visible ASCII characters without spaces')
    if (!this.#box)
      throw new AppError(
        'not_configured',
        'API keys cannot be stored: set SECRET_KEY, with which they are encrypted, and restart the server',
      )
    return this.#box.seal(apiKey, contextOf(workspaceId, id))
  }

  /** Fails with a `ModelNotConfigured` when the key cannot be decrypted any more. */
  openKey(workspaceId: string, { id, name, sealedKey }: ModelSettings): string | undefined {
    if (sealedKey === undefined) return undefined
    try {
      if (this.#box) return this.#box.open(sealedKey, contextOf(workspaceId, id))
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
    }
    throw new ModelNotConfigured(
      `The API key of the model "${name}" cannot be decrypted, probably because SECRET_KEY has changed: enter the key again in Models, or send it with POST /api/v1/model/update`,
    )
  }

  keyState(workspaceId: string, settings: ModelSettings): KeyState {
    const hasKey = settings.sealedKey !== undefined
    try {
      const key = this.openKey(workspaceId, settings) ?? ''
      return { hasKey, end: key.length < minLengthToShow ? '' : key.slice(-shownCharacters), problem: '' }
    } catch (error) {
      if (!(error instanceof ModelNotConfigured)) throw error
      return { hasKey, end: '', problem: error.message }
    }
  }

  async get(workspaceId: string, id: string): Promise<ModelSettings> {
    const settings = await this.store.find(workspaceId, { id })
    if (!settings) throw noSuchModel()
    return settings
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.store.remove(workspaceId, id))) throw noSuchModel()
  }
}
