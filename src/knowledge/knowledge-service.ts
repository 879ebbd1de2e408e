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

/** What a caller says about a base; what is left out keeps its value, or gets the usual one. */
export interface KnowledgeWishes {
  name?: string
  description?: string
  chunking?: Partial<Chunking>
  embedding?: { model?: string } | null
  retrieval?: Partial<Retrieval>
  metadata?: Metadata
}

export interface KnowledgeOptions {
  /** The model of the settings; undefined where none is configured. */
  embeddingModel: string | undefined
  canRerank: boolean
}

export class KnowledgeService {
  readonly #store: KnowledgeStore
  readonly #clock: Clock
  readonly #options: KnowledgeOptions
  /** Told when there may be something new to read. */
  readonly #wake: () => void

  constructor(store: KnowledgeStore, clock: Clock, options: KnowledgeOptions, wake: () => void) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    this.#wake = wake
  }

  async create(workspaceId: string, wishes: KnowledgeWishes & { name: string }): Promise<KnowledgeRecord> {
    const settings: KnowledgeSettings = {
      name: wishes.name,
      description: wishes.description ?? '',
      chunking: this.#chunking(defaultChunking, wishes.chunking),
      embeddingModel: this.#embeddingModel(wishes.embedding) ?? null,
      retrieval: this.#retrieval(defaultRetrieval, wishes.retrieval),
      metadata: wishes.metadata ?? {},
    }
    const id = mintId('kb')
    const created = await this.#store.create(workspaceId, {
      ...settings,
      id,
      generationId: mintId('gen'),
      createdAt: this.#clock.now(),
    })
    if (!created) throw nameTaken(wishes.name)
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

  async update(workspaceId: string, id: string, wishes: KnowledgeWishes): Promise<KnowledgeRecord> {
    const updated = await this.#store.update(workspaceId, id, base => this.#change(base, wishes), {
      nextGenerationId: mintId('gen'),
      now: this.#clock.now(),
    })
    if (updated === 'name_taken') throw nameTaken(wishes.name ?? '')
    if (!updated) throw noSuchBase()
    this.#wake()
    return { ...updated, counts: await this.#store.count(workspaceId, updated) }
  }

  #change(base: KnowledgeBase, wishes: KnowledgeWishes): Partial<KnowledgeSettings> {
    const { name, description, metadata, chunking, embedding, retrieval } = wishes
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

  #chunking(before: Chunking, wishes: Partial<Chunking> = {}): Chunking {
    const chunking = { ...before, ...wishes }
    if (chunking.overlap * 2 > chunking.size)
      throw invalidField('/chunking/overlap', `must be at most half of the size (${chunking.size})`)
    return chunking
  }

  /** Left out: the model of the settings. Null: none, on purpose. */
  #embeddingModel(wishes: { model?: string } | null | undefined): string | null | undefined {
    if (wishes === null) return null
    const { embeddingModel } = this.#options
    if (wishes && embeddingModel === undefined)
      throw invalidField(
        '/embedding',
        'no embedding endpoint is configured; set EMBEDDING_BASE_URL and EMBEDDING_MODEL, or send null to find by keywords only',
      )
    return wishes?.model ?? embeddingModel
  }

  #retrieval(before: Retrieval, wishes: Partial<Retrieval> = {}): Retrieval {
    if (wishes.rerank && !this.#options.canRerank)
      throw invalidField(
        '/retrieval/rerank',
        'no reranker is configured; set RERANK_BASE_URL and RERANK_MODEL',
      )
    return { ...before, ...wishes }
  }
}

const noSuchBase = (): AppError => new AppError('not_found', 'There is no such knowledge base')

const nameTaken = (name: string): AppError =>
  new AppError('already_exists', `There is already a knowledge base named “${name}”`, {
    errors: [{ path: '/name', message: 'is taken' }],
  })
