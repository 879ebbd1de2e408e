import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type SecretBox, SecretUnreadable } from '../kernel/secret-box.ts'
import { ModelNotConfigured } from './language-model.ts'
import { changedHeaders, changedOptions, type HeaderPatch, type Headers } from './model-changes.ts'
import type { ModelChange, ModelOptions, ModelSettings, ModelSettingsStore } from './model-settings-store.ts'

/** Settings besides the columns that every model has, named as in `ModelOptions`. */
type NewOptions = ModelOptions & Partial<Pick<ModelSettings, 'maxTokens' | 'temperature'>>

/** Without `isDefault`, the model becomes the default if its type has none. */
type NewModel = Pick<ModelSettings, 'name' | 'baseUrl' | 'model'> &
  Partial<Pick<ModelSettings, 'type' | 'isDefault'>> &
  NewOptions & { apiKey?: string | undefined; headers?: HeaderPatch | undefined }

/** Absent members stay unchanged; null removes a value. */
type ModelUpdate = Partial<Omit<NewModel, 'apiKey' | 'type' | keyof NewOptions>> & {
  [Member in 'apiKey' | keyof NewOptions]?: NewModel[Member] | null
}

/** The state of a model's key, without the key. */
interface KeyState {
  hasKey: boolean
  /** The last characters, if the key is long enough to show some. */
  end: string
  headers: { name: string; valueEnd: string }[]
  /** Why it cannot be used, or empty. */
  problem: string
}

const shownCharacters = 4
const minLengthToShow = 16

const contextOf = (workspaceId: string, id: string): string => `model key ${workspaceId} ${id}`
const headersContextOf = (workspaceId: string, id: string): string => `model headers ${workspaceId} ${id}`

const endOf = (secret: string): string =>
  secret.length < minLengthToShow ? '' : secret.slice(-shownCharacters)

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

/** It is sent as a header, where a line break would start another one. */
function checkKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw invalidField('/api_key', 'must be visible ASCII characters without spaces')
}

/** Whether the address may be called is decided when a connection is made: a name can resolve to any address by then. */
function checkBaseUrl(baseUrl: string): void {
  const problem = baseUrlProblem(baseUrl)
  if (problem) throw invalidField('/base_url', problem)
}

const isSameServer = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin

export interface ModelSecrets {
  apiKey: string | undefined
  headers: Headers
}

/** Unsaved settings to test a model with. */
export type ModelDraft = Partial<
  Pick<NewModel, 'type' | 'baseUrl' | 'model' | 'apiKey' | 'headers' | 'extraBody'>
>

export interface DraftModel {
  settings: ModelSettings
  secrets: ModelSecrets
}

/** Refuses to send stored secrets to a new URL. */
function refuseStoredSecrets(current: ModelSettings, headers: Headers, wanted: ModelUpdate): void {
  if (wanted.apiKey === undefined && current.sealedKey !== undefined)
    throw invalidField(
      '/api_key',
      'is required when base_url names another server: send the key again, or null for none',
    )
  const sent = new Set(Object.keys(wanted.headers ?? {}).map(name => name.toLowerCase()))
  const kept = Object.keys(headers).find(name => !sent.has(name))
  if (kept !== undefined)
    throw invalidField(
      '/headers',
      `must include ${kept} when base_url names another server: send its value again, or null to remove it`,
    )
}

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
    const { name, baseUrl, model, type = 'chat', isDefault = 'if_none', maxTokens, temperature } = wanted
    const { apiKey, headers = {} } = wanted
    const sealed = {
      sealedKey: apiKey === undefined ? undefined : this.#sealKey(workspaceId, id, apiKey),
      sealedHeaders: this.#sealHeaders(workspaceId, id, changedHeaders({}, headers)),
    }
    const options = changedOptions({}, wanted)
    const created = await this.store.create(
      workspaceId,
      {
        id,
        name,
        type,
        baseUrl,
        model,
        ...sealed,
        options,
        isDefault,
        maxTokens,
        temperature,
        version: 1,
        ...times,
      },
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
    if (current.type === 'embedding' && model !== current.model)
      throw invalidField(
        '/model',
        'of an embedding model cannot be changed: its vectors would not fit; add another one',
      )
    const opened = this.#openHeaders(workspaceId, current)
    // An editor of the URL must not obtain the key by having it sent to a server of their own.
    if (!isSameServer(baseUrl, current.baseUrl)) refuseStoredSecrets(current, opened, wanted)
    return {
      name,
      baseUrl,
      model,
      isDefault: wanted.isDefault ?? current.isDefault,
      options: changedOptions(current.options, wanted),
      ...(apiKey !== undefined && {
        sealedKey: apiKey === null ? undefined : this.#sealKey(workspaceId, current.id, apiKey),
      }),
      ...(wanted.headers !== undefined && {
        sealedHeaders: this.#sealHeaders(workspaceId, current.id, changedHeaders(opened, wanted.headers)),
      }),
      ...(wanted.maxTokens !== undefined && { maxTokens: wanted.maxTokens ?? undefined }),
      ...(wanted.temperature !== undefined && { temperature: wanted.temperature ?? undefined }),
    }
  }

  #sealKey(workspaceId: string, id: string, apiKey: string): string {
    checkKey(apiKey)
    return this.#seal(apiKey, contextOf(workspaceId, id))
  }

  #sealHeaders(workspaceId: string, id: string, headers: Headers): string | undefined {
    if (Object.keys(headers).length === 0) return undefined
    return this.#seal(JSON.stringify(headers), headersContextOf(workspaceId, id))
  }

  #seal(secret: string, context: string): string {
    if (this.#box) return this.#box.seal(secret, context)
    throw new AppError(
      'not_configured',
      'API keys cannot be stored: set SECRET_KEY, with which they are encrypted, and restart the server',
    )
  }

  #open({ name }: ModelSettings, sealed: string, context: string): string {
    try {
      if (this.#box) return this.#box.open(sealed, context)
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
    }
    throw new ModelNotConfigured(
      `The API key of the model "${name}" cannot be decrypted, probably because SECRET_KEY has changed: enter the key again in Models, or send it with POST /api/v1/model/update`,
    )
  }

  /** Where they cannot be decrypted any more, an update replaces them. */
  #openHeaders(workspaceId: string, settings: ModelSettings): Headers {
    try {
      return this.openSecrets(workspaceId, { ...settings, sealedKey: undefined }).headers
    } catch (error) {
      if (!(error instanceof ModelNotConfigured)) throw error
      return {}
    }
  }

  /** Fails with a `ModelNotConfigured` when a secret cannot be decrypted any more. */
  openSecrets(workspaceId: string, settings: ModelSettings): ModelSecrets {
    const { id, sealedKey, sealedHeaders } = settings
    return {
      apiKey: sealedKey && this.#open(settings, sealedKey, contextOf(workspaceId, id)),
      headers: sealedHeaders
        ? (JSON.parse(this.#open(settings, sealedHeaders, headersContextOf(workspaceId, id))) as Headers)
        : {},
    }
  }

  keyState(workspaceId: string, settings: ModelSettings): KeyState {
    const hasKey = settings.sealedKey !== undefined
    try {
      const { apiKey = '', headers } = this.openSecrets(workspaceId, settings)
      const shown = Object.entries(headers).map(([name, value]) => ({ name, valueEnd: endOf(value) }))
      return { hasKey, end: endOf(apiKey), headers: shown, problem: '' }
    } catch (error) {
      if (!(error instanceof ModelNotConfigured)) throw error
      return { hasKey, end: '', headers: [], problem: error.message }
    }
  }

  /** Completes unsaved settings from a stored model, secrets only for the same server. */
  draft(workspaceId: string, given: ModelDraft, stored: ModelSettings | undefined): DraftModel {
    const { baseUrl = stored?.baseUrl, model = stored?.model ?? '', type = stored?.type ?? 'chat' } = given
    if (baseUrl === undefined) throw invalidField('/base_url', 'is required')
    checkBaseUrl(baseUrl)
    if (given.apiKey !== undefined) checkKey(given.apiKey)
    const known =
      stored && isSameServer(baseUrl, stored.baseUrl) ? this.openSecrets(workspaceId, stored) : undefined
    const { apiKey = known?.apiKey, headers = {} } = given
    const settings: ModelSettings = {
      ...{ id: 'unsaved', name: stored?.name ?? model, type, baseUrl, model, isDefault: false, version: 0 },
      ...{ sealedKey: undefined, sealedHeaders: undefined, createdAt: 0, updatedAt: 0 },
      ...{ maxTokens: stored?.maxTokens, temperature: stored?.temperature },
      options: changedOptions(stored?.options ?? {}, given),
    }
    return { settings, secrets: { apiKey, headers: changedHeaders(known?.headers ?? {}, headers) } }
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
