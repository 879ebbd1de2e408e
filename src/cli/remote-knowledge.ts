import type { Static } from 'typebox'
import { fileOperations, type fileRecord } from '../contract/file-operations.ts'
import { knowledgeOperations } from '../contract/knowledge-operations.ts'
import type { documentStatuses, knowledgeSchemas } from '../contract/knowledge-records.ts'
import type { Page } from '../contract/paging.ts'
import { groupsOf } from '../kernel/groups-of.ts'
import { allItems } from './command.ts'
import { listAll, pageFrom, type RemotePage, type ServerClient, ServerRefusal } from './server-client.ts'

export type RemoteDocument = Static<typeof knowledgeSchemas.Document>
type DocumentStatus = (typeof documentStatuses)[number]

type NamedBase = Static<typeof knowledgeSchemas.KnowledgeBase>
type StoredFile = Static<typeof fileRecord>

const { list, create, add, files } = knowledgeOperations
const maxFilesPerCall = 1000
const pageSize = 100

/** In the order of ingestion: a document that moves on during the calls is counted twice rather than missed. */
const pendingStatuses = ['queued', 'parsing', 'chunking', 'embedding'] as const
/** The maximum number of pages per status that are read to find our documents. */
const maxPendingPages = 3
const pollMilliseconds = 1000

const isPending = ({ status }: RemoteDocument): boolean =>
  (pendingStatuses as readonly string[]).includes(status)

export class RemoteKnowledge {
  readonly id: string
  readonly #client: ServerClient

  constructor(client: ServerClient, id: string) {
    this.#client = client
    this.id = id
  }

  /** The knowledge base of that name, created if there is none. Fails at once when the server does not respond. */
  static async named(client: ServerClient, name: string): Promise<RemoteKnowledge> {
    const open = ({ knowledge_id }: NamedBase): RemoteKnowledge => new RemoteKnowledge(client, knowledge_id)
    const found = await findNamed(client, name)
    if (found) return open(found)
    try {
      return open(await client.call(create, { json: { name } }))
    } catch (error) {
      // Another client may have created it in the meantime.
      const isTaken = error instanceof ServerRefusal && error.reason === 'already_exists'
      const existing = isTaken ? await findNamed(client, name) : undefined
      if (!existing) throw error
      return open(existing)
    }
  }

  #here = ({ method, path }: { method: string; path: string }) => ({
    method,
    path: path.replace('{knowledge_id}', this.id),
  })

  get filesAddress(): string {
    return `${this.#client.server}${this.#here(files).path}`
  }

  async #page(filter: {
    status?: DocumentStatus
    page?: string
    cursor?: string
  }): Promise<Page<RemoteDocument>> {
    const query = { ...filter, page_size: String(pageSize) }
    return pageFrom(await this.#client.call<RemotePage<RemoteDocument>>(this.#here(files), { query }))
  }

  documents(): Promise<RemoteDocument[]> {
    return allItems(({ cursor }) => this.#page(cursor === undefined ? {} : { cursor }))
  }

  /** The files with these ids; deleted ones are left out. */
  async storedFiles(ids: string[]): Promise<StoredFile[]> {
    const found: StoredFile[] = []
    for (const fileIds of groupsOf(ids, maxFilesPerCall)) {
      const json = { file_ids: fileIds }
      found.push(...(await this.#client.call<RemotePage<StoredFile>>(fileOperations.list, { json })).items)
    }
    return found
  }

  async upload(name: string, bytes: Uint8Array): Promise<string> {
    return (await this.#client.call<StoredFile>(fileOperations.upload, { query: { name }, bytes })).file_id
  }

  /** Returns the ids of files that were deleted before they could be added. */
  async add(fileIds: string[]): Promise<string[]> {
    const { skipped } = await this.#client.call<{ skipped: { file_id: string; reason: string }[] }>(
      this.#here(add),
      { json: { file_ids: fileIds } },
    )
    return skipped.filter(({ reason }) => reason === 'not_found').map(({ file_id }) => file_id)
  }

  /** Waits until every document is done. Progress comes from cheap calls, the result from a full list. */
  async waitFor(ids: ReadonlyMap<string, string>, onProgress: (done: number, stage: string) => void) {
    for (;;) {
      const startedAt = performance.now()
      const { pending, stage } = await this.#progress(ids)
      onProgress(ids.size - pending, stage)
      if (pending === 0) {
        const all = new Map((await this.documents()).map(document => [document.file_id, document]))
        const found = [...ids.keys()].flatMap(id => all.get(id) ?? [])
        if (!found.some(isPending)) return found
      }
      // A slow server is polled less often.
      await this.#client.pause(Math.max(pollMilliseconds, 4 * (performance.now() - startedAt)))
    }
  }

  /** How many of these documents are pending: an upper bound while the queue is long. */
  async #progress(ids: ReadonlyMap<string, string>): Promise<{ pending: number; stage: string }> {
    const counts: [string, number][] = []
    for (const status of pendingStatuses) counts.push([status, await this.#countPending(status, ids)])
    const pending = counts.reduce((sum, [, count]) => sum + count, 0)
    const active = counts.filter(([status, count]) => status !== 'queued' && count > 0)
    return {
      pending: Math.min(pending, ids.size),
      stage:
        active.map(([status, count]) => `${status} ${count}`).join(', ') || (pending > 0 ? 'queued' : ''),
    }
  }

  /** In a long queue all documents count, because finding ours would take a hundred calls every second. */
  async #countPending(status: DocumentStatus, ids: ReadonlyMap<string, string>): Promise<number> {
    const first = await this.#page({ status })
    if (first.isCapped) return ids.size
    if (first.total > maxPendingPages * pageSize) return first.total
    const found = new Set(first.items.map(({ file_id }) => file_id))
    for (let page = 2; (page - 1) * pageSize < first.total; page++)
      for (const { file_id } of (await this.#page({ status, page: String(page) })).items) found.add(file_id)
    return [...found].filter(id => ids.has(id)).length
  }
}

async function findNamed(client: ServerClient, name: string): Promise<NamedBase | undefined> {
  const bases = await listAll<NamedBase>(client, list, { keyword: name })
  return bases.find(base => base.name === name)
}
