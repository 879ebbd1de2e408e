import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type Chunking, changedChunking, defaultChunking } from './chunking.ts'
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
}

export interface KnowledgeParts {
  store: KnowledgeStore
  clock: Clock
  embeddingModel: string | undefined
  canRerank: boolean
  wake(): void
}

export class KnowledgeService {
  /** For lookups that need no decision. */
  readonly store: KnowledgeStore
  readonly #parts: KnowledgeParts

  constructor(parts: KnowledgeParts) {
    this.store = parts.store
    this.#parts = parts
  }

  async create(workspaceId: string, patch: KnowledgePatch & { name: string }): Promise<KnowledgeRecord> {
    const { store, clock, embeddingModel = null } = this.#parts
    const defaults: KnowledgeSettings = {
      name: patch.name,
      description: '',
      chunking: defaultChunking,
      embeddingModel,
      retrieval: defaultRetrieval,
      metadata: {},
    }
    const id = mintId('kb')
    const settings = { ...defaults, ...this.#change(defaults, patch) }
    const made = { id, generationId: mintId('gen'), createdAt: clock.now() }
    if (!(await store.create(workspaceId, { ...settings, ...made }))) throw nameTaken(patch.name)
    return this.get(workspaceId, id)
  }

  async get(workspaceId: string, id: string): Promise<KnowledgeRecord> {
    const base = await this.find(workspaceId, id)
    return { ...base, counts: await this.#parts.store.count(workspaceId, base) }
  }

  async find(workspaceId: string, id: string): Promise<KnowledgeBase> {
    const base = await this.#parts.store.find(workspaceId, id)
    if (!base) throw noSuchBase()
    return base
  }

  async update(workspaceId: string, id: string, patch: KnowledgePatch): Promise<KnowledgeRecord> {
    const { store, clock } = this.#parts
    const updated = await store.update(workspaceId, id, base => this.#change(base, patch), {
      nextGenerationId: mintId('gen'),
      now: clock.now(),
    })
    if (updated === 'name_taken') throw nameTaken(patch.name ?? '')
    if (!updated) throw noSuchBase()
    this.#parts.wake()
    return { ...updated, counts: await store.count(workspaceId, updated) }
  }

  #change(before: KnowledgeSettings, patch: KnowledgePatch): Partial<KnowledgeSettings> {
    const { name, description, metadata, chunking, embedding, retrieval } = patch
    return {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(metadata !== undefined && { metadata }),
      ...(chunking !== undefined && { chunking: changedChunking(before.chunking, chunking) }),
      ...(embedding !== undefined && { embeddingModel: this.#embeddingModel(embedding) }),
      ...(retrieval !== undefined && { retrieval: this.#retrieval(before.retrieval, retrieval) }),
    }
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    const { store, clock, wake } = this.#parts
    if (!(await store.remove(workspaceId, id, clock.now()))) throw noSuchBase()
    wake()
  }

  /** Without a name the configured model. Null: none, keyword search only. */
  #embeddingModel(patch: { model?: string } | null): string | null {
    if (patch === null) return null
    const { embeddingModel } = this.#parts
    if (embeddingModel === undefined)
      throw invalidField(
        '/embedding',
        'no embedding endpoint is configured; set EMBEDDING_BASE_URL and EMBEDDING_MODEL, or send null for keyword search only',
      )
    return patch.model ?? embeddingModel
  }

  #retrieval(before: Retrieval, patch: Partial<Retrieval>): Retrieval {
    if (patch.rerank && !this.#parts.canRerank)
      throw invalidField(
        '/retrieval/rerank',
        'no reranker is configured; set RERANK_BASE_URL and RERANK_MODEL',
      )
    return { ...before, ...patch }
  }
}

export const noSuchBase = (): AppError => new AppError('not_found', 'The knowledge base does not exist')

const nameTaken = (name: string): AppError =>
  new AppError('already_exists', `A knowledge base with the name “${name}” already exists`, {
    errors: [{ path: '/name', message: 'is taken' }],
  })
