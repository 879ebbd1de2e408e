import type { ModelType } from '../contract/model-records.ts'
import { LruMap } from '../kernel/lru-map.ts'
import { connectionOf, type ModelConnection } from './configured-models.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { ModelNotConfigured } from './language-model.ts'
import type { ModelCaller } from './model-caller.ts'
import type { ModelSettingsService } from './model-settings-service.ts'
import type { ModelSettings } from './model-settings-store.ts'
import type { Reranker } from './reranker.ts'
import type { SpeechSynthesizer } from './speech-synthesizer.ts'
import type { Transcriber } from './transcriber.ts'

/** Two uses with different timeouts: a user waits for a query, but ingestion can wait for minutes. */
interface EmbeddingModels {
  ingestion: EmbeddingModel
  query: EmbeddingModel
}

/** The interface of each type of model except chat. */
export interface OpenedModels {
  embedding: EmbeddingModels
  rerank: Reranker
  transcription: Transcriber
  speech: SpeechSynthesizer
}
export type OpenedType = keyof OpenedModels

export interface OfferedModel {
  id: string
  contextLength: number | undefined
}

/** Functions that connect the models of workspaces. */
export type ModelConnectors = {
  [Type in OpenedType]: (connection: ModelConnection) => Promise<OpenedModels[Type]>
} & {
  /** What the provider of a connection offers. Fails with a `ModelFailure`. */
  discover(connection: ModelConnection, caller: ModelCaller): Promise<OfferedModel[]>
}

/** The models of the server settings. */
export type EnvironmentModels = { readonly [Type in OpenedType]?: OpenedModels[Type] | undefined } & {
  /** The provider's name of the embedding model. */
  readonly embeddingName?: string | undefined
}

const maxConnections = 1000

/** The embedding, rerank, transcription and speech models of workspaces, else those of the server settings. */
export class WorkspaceModels {
  readonly connectors: ModelConnectors
  readonly environment: EnvironmentModels
  readonly #settings: ModelSettingsService
  /** By workspace, id and version, so that every process sees a change at once. */
  readonly #connected = new LruMap<string, Promise<unknown>>(maxConnections)

  constructor(settings: ModelSettingsService, connectors: ModelConnectors, environment: EnvironmentModels) {
    this.#settings = settings
    this.connectors = connectors
    this.environment = environment
  }

  /** Fails with a `ModelNotConfigured` when its key cannot be decrypted any more. */
  async connect<Type extends OpenedType>(
    workspaceId: string,
    type: Type,
    settings: ModelSettings,
  ): Promise<OpenedModels[Type]> {
    const key = `${workspaceId} ${settings.id} ${settings.version}`
    const known = this.#connected.get(key)
    if (known) return known as Promise<OpenedModels[Type]>
    const secrets = this.#settings.openSecrets(workspaceId, settings)
    const connected = this.connectors[type](connectionOf(settings, secrets)) as Promise<OpenedModels[Type]>
    this.#connected.set(key, connected)
    return connected
  }

  async #default<Type extends OpenedType>(
    workspaceId: string,
    type: Type,
  ): Promise<OpenedModels[Type] | undefined> {
    const settings = await this.#settings.store.find(workspaceId, { type, isDefault: true })
    if (settings) return this.connect(workspaceId, type, settings)
    return this.environment[type] as OpenedModels[Type] | undefined
  }

  reranker(workspaceId: string): Promise<Reranker | undefined> {
    return this.#default(workspaceId, 'rerank')
  }

  transcriber(workspaceId: string): Promise<Transcriber | undefined> {
    return this.#default(workspaceId, 'transcription')
  }

  /** The provider's name of the default transcription model; undefined for that of the server settings. */
  async transcriptionName(workspaceId: string): Promise<string | undefined> {
    return (await this.#settings.store.find(workspaceId, { type: 'transcription', isDefault: true }))?.model
  }

  synthesizer(workspaceId: string): Promise<SpeechSynthesizer | undefined> {
    return this.#default(workspaceId, 'speech')
  }

  /** The name for new knowledge bases; undefined where there is none. */
  async embeddingName(workspaceId: string): Promise<string | undefined> {
    const settings = await this.#settings.store.find(workspaceId, { type: 'embedding', isDefault: true })
    return settings?.name ?? this.environment.embeddingName
  }

  /** Of the server settings any name can be used: its provider decides. */
  async hasEmbedding(workspaceId: string, name: string): Promise<boolean> {
    if (this.environment.embedding) return true
    return (await this.#settings.store.find(workspaceId, { type: 'embedding', name })) !== undefined
  }

  /** A name that the workspace does not have is that of a model of the provider in the server settings. */
  embeddingModel(use: keyof EmbeddingModels): EmbeddingModel {
    return {
      embed: async (name, texts, caller) => {
        const { workspaceId } = caller
        const settings = await this.#settings.store.find(workspaceId, { type: 'embedding', name })
        if (settings) {
          const models = await this.connect(workspaceId, 'embedding', settings)
          return models[use].embed(settings.model, texts, caller)
        }
        const { embedding } = this.environment
        if (embedding) return embedding[use].embed(name, texts, caller)
        throw new ModelNotConfigured(
          `There is no embedding model "${name}". Add it in Models, or set EMBEDDING_BASE_URL and EMBEDDING_MODEL.`,
        )
      },
    }
  }

  /** Whether the server settings have a model of this type. */
  hasEnvironment(type: ModelType): boolean {
    return type !== 'chat' && this.environment[type] !== undefined
  }
}
