import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type Chunking, defaultChunking } from './chunking.ts'
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

export interface KnowledgeOptions {
  /** The configured model, if any. */
  embeddingModel: string | undefined
  canRerank: boolean
}

export class KnowledgeService {
  readonly #store: KnowledgeStore
  readonly #clock: Clock
  readonly #options: KnowledgeOptions
  /** Wakes the ingestion: there may be a new job. */
  readonly #wake: () => void

  constructor(store: KnowledgeStore, clock: Clock, options: KnowledgeOptions, wake: () => void) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    this.#wake = wake
  }

  async create(workspaceId: string, patch: KnowledgePatch & { name: string }): Promise<KnowledgeRecord> {
    const settings: KnowledgeSettings = {
      name: patch.name,
      description: patch.description ?? '',
      chunking: this.#chunking(defaultChunking, patch.chunking),
      embeddingModel: this.#embeddingModel(patch.embedding) ?? null,
      retrieval: this.#retrieval(defaultRetrieval, patch.retrieval),
      metadata: patch.metadata ?? {},
    }
    const id = mintId('kb')
    const created = await this.#store.create(workspaceId, {
      ...settings,
      id,
      generationId: mintId('gen'),
      createdAt: this.#clock.now(),
    })
    if (!created) throw nameTaken(patch.name)
    return this.get(workspaceId, id)
  }

  async get(workspaceId: string, id: string): Promise<KnowledgeRecord> {
    const base = await this.find(workspaceId, id)
    return { ...base, counts: await this.#store.count(workspaceId, base) }
  }

  async find(workspaceId: string, id: string): Promise<KnowledgeBase> {
    const base = await this.#store.find(workspaceId, id)
    if (!base) throw noSuchBase()
    return base
  }

  list(
    workspaceId: string,
    filter: { keyword: string; ids: string[] | undefined },
    page: PageRequest,
  ): Promise<Page<KnowledgeRecord>> {
    return this.#store.list(workspaceId, filter, page)
  }

  async update(workspaceId: string, id: string, patch: KnowledgePatch): Promise<KnowledgeRecord> {
    const updated = await this.#store.update(workspaceId, id, base => this.#change(base, patch), {
      nextGenerationId: mintId('gen'),
      now: this.#clock.now(),
    })
    if (updated === 'name_taken') throw nameTaken(patch.name ?? '')
    if (!updated) throw noSuchBase()
    this.#wake()
    return { ...updated, counts: await this.#store.count(workspaceId, updated) }
  }

  #change(base: KnowledgeBase, patch: KnowledgePatch): Partial<KnowledgeSettings> {
    const { name, description, metadata, chunking, embedding, retrieval } = patch
    return {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(metadata !== undefined && { metadata }),
      ...(chunking !== undefined && { chunking: this.#chunking(base.chunking, chunking) }),
      ...(embedding !== undefined && { embeddingModel: this.#embeddingModel(embedding) ?? null }),
      ...(retrieval !== undefined && { retrieval: this.#retrieval(base.retrieval, retrieval) }),
    }
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#store.remove(workspaceId, id, this.#clock.now()))) throw noSuchBase()
    this.#wake()
  }

  #chunking(before: Chunking, patch: Partial<Chunking> = {}): Chunking {
    const chunking = { ...before, ...patch }
    if (chunking.overlap * 2 > chunking.size)
      throw invalidField('/chunking/overlap', `must be at most half of the size (${chunking.size})`)
    return chunking
  }

  /** Omitted: the configured model. Null: none, keyword search only. */
  #embeddingModel(patch: { model?: string } | null | undefined): string | null | undefined {
    if (patch === null) return null
    const { embeddingModel } = this.#options
    if (patch && embeddingModel === undefined)
      throw invalidField(
        '/embedding',
        'no embedding endpoint is configured; set EMBEDDING_BASE_URL and EMBEDDING_MODEL, or send null for keyword search only',
      )
    return patch?.model ?? embeddingModel
  }

  #retrieval(before: Retrieval, patch: Partial<Retrieval> = {}): Retrieval {
    if (patch.rerank && !this.#options.canRerank)
      throw invalidField(
        '/retrieval/rerank',
        'no reranker is configured; set RERANK_BASE_URL and RERANK_MODEL',
      )
    return { ...before, ...patch }
  }
}

const noSuchBase = (): AppError => new AppError('not_found', 'The knowledge base does not exist')

const nameTaken = (name: string): AppError =>
  new AppError('already_exists', `A knowledge base with the name “${name}” already exists`, {
    errors: [{ path: '/name', message: 'is taken' }],
  })
