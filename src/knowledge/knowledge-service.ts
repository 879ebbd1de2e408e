import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { WorkspaceModels } from '../models/workspace-models.ts'
import { type Chunking, defaultChunking } from './chunking.ts'
import type { Embedder } from './embedder.ts'
import {
  defaultRetrieval,
  type KnowledgeBase,
  type KnowledgeSettings,
  type Metadata,
  type Retrieval,
} from './knowledge-base.ts'
import type { KnowledgeRecord, KnowledgeStore } from './knowledge-store.ts'

/** The settings in a request. An omitted one keeps its value, or gets the default in a new base. */
export interface KnowledgePatch {
  name?: string
  description?: string
  chunking?: Partial<Chunking>
  embedding?: { model?: string } | null
  retrieval?: Partial<Retrieval>
  metadata?: Metadata
  goldenMaxLost?: number | null
}

interface KnowledgeParts {
  store: KnowledgeStore
  clock: Clock
  models: Pick<WorkspaceModels, 'embeddingName' | 'hasEmbedding' | 'reranker'>
  embedder: Embedder
  wake(): void
}

export class KnowledgeService {
  /** Exposed for lookups that need no decision. */
  readonly store: KnowledgeStore
  readonly #parts: KnowledgeParts

  constructor(parts: KnowledgeParts) {
    this.store = parts.store
    this.#parts = parts
  }

  async create(workspaceId: string, patch: KnowledgePatch & { name: string }): Promise<KnowledgeRecord> {
    const { store, clock, models } = this.#parts
    const named = await this.#checkModels(workspaceId, patch)
    const defaults: KnowledgeSettings = {
      name: patch.name,
      description: '',
      chunking: defaultChunking,
      embeddingModel: (await models.embeddingName(workspaceId)) ?? null,
      retrieval: defaultRetrieval,
      metadata: {},
      goldenMaxLost: 0,
    }
    const id = mintId('kb')
    const settings = { ...defaults, ...change(defaults, patch, named) }
    const made = { id, generationId: mintId('gen'), createdAt: clock.now() }
    if (!(await store.create(workspaceId, { ...settings, ...made }))) throw nameTaken(patch.name)
    return this.get(workspaceId, id)
  }

  async get(workspaceId: string, id: string): Promise<KnowledgeRecord> {
    const base = await this.find(workspaceId, id)
    return this.#parts.store.record(workspaceId, base)
  }

  async find(workspaceId: string, id: string): Promise<KnowledgeBase> {
    const base = await this.#parts.store.find(workspaceId, id)
    if (!base) throw noSuchBase()
    return base
  }

  async update(workspaceId: string, id: string, patch: KnowledgePatch): Promise<KnowledgeRecord> {
    const { store, clock } = this.#parts
    const named = await this.#checkModels(workspaceId, patch)
    const updated = await store.update(workspaceId, id, base => change(base, patch, named), {
      nextGenerationId: mintId('gen'),
      dimension: named ? await this.#dimensionOf(workspaceId, id, named) : undefined,
      now: clock.now(),
    })
    if (updated === 'name_taken') throw nameTaken(patch.name ?? '')
    if (!updated) throw noSuchBase()
    this.#parts.wake()
    return store.record(workspaceId, updated)
  }

  /** The dimension of the vectors that the model of the base returns now: another model may have taken its name. */
  async #dimensionOf(workspaceId: string, id: string, model: string): Promise<number | undefined> {
    const { next, generation } = await this.find(workspaceId, id)
    const { embeddingModel, dimension } = next ?? generation
    if (embeddingModel !== model || dimension === null) return undefined
    return this.#parts.embedder.embedQuery(workspaceId, model, 'dimension').then(
      vector => vector.length,
      // Failures of the model are reported where vectors are needed.
      () => undefined,
    )
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    const { store, clock, wake } = this.#parts
    if (!(await store.remove(workspaceId, id, clock.now()))) throw noSuchBase()
    wake()
  }

  /** Fails if the patch needs a model that does not exist. Returns the name of the embedding model, null for none. */
  async #checkModels(
    workspaceId: string,
    { embedding, retrieval }: KnowledgePatch,
  ): Promise<string | null | undefined> {
    const { models } = this.#parts
    if (retrieval?.rerank && !(await models.reranker(workspaceId)))
      throw invalidField(
        '/retrieval/rerank',
        'no reranker is configured; add a rerank model in Models, or set RERANK_BASE_URL and RERANK_MODEL',
      )
    if (embedding === undefined || embedding === null) return embedding
    const name = embedding.model ?? (await models.embeddingName(workspaceId))
    if (name !== undefined && (await models.hasEmbedding(workspaceId, name))) return name
    throw invalidField(
      '/embedding',
      'no such embedding model is configured; add one in Models, set EMBEDDING_BASE_URL and EMBEDDING_MODEL, or send null for keyword search only',
    )
  }
}

/** `embeddingModel` is the value of the patch, with the default model for a missing name. */
function change(
  before: KnowledgeSettings,
  patch: KnowledgePatch,
  embeddingModel: string | null | undefined,
): Partial<KnowledgeSettings> {
  const { name, description, metadata, goldenMaxLost, chunking, retrieval } = patch
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
    ...(goldenMaxLost !== undefined && { goldenMaxLost }),
    ...(chunking !== undefined && { chunking: { ...before.chunking, ...chunking } }),
    ...(embeddingModel !== undefined && { embeddingModel }),
    ...(retrieval !== undefined && { retrieval: { ...before.retrieval, ...retrieval } }),
  }
}

export const noSuchBase = (): AppError => new AppError('not_found', 'The knowledge base does not exist')

const nameTaken = (name: string): AppError =>
  new AppError('already_exists', `A knowledge base with the name “${name}” already exists`, {
    errors: [{ path: '/name', message: 'is taken' }],
  })
