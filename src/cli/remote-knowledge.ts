import { fileOperations } from '../contract/file-operations.ts'
import { knowledgeOperations } from '../contract/knowledge-operations.ts'
import type { documentStatuses } from '../contract/knowledge-records.ts'
import type { Page } from '../contract/paging.ts'
import type { documentOnWire } from '../http/routes/knowledge-on-wire.ts'
import { everyPage } from './every-page.ts'
import { type ServerClient, ServerRefusal } from './server-client.ts'

export type RemoteDocument = ReturnType<typeof documentOnWire>

interface NamedBase {
  knowledge_id: string
  name: string
}

interface StoredFile {
  file_id: string
  name: string
  sha256: string
}

const { list, create, add, files } = knowledgeOperations
const mostFilesPerLook = 1000

/** One knowledge base of a server, over its HTTP interface. */
export class RemoteKnowledge {
  readonly id: string
  readonly #client: ServerClient

  constructor(client: ServerClient, id: string) {
    this.#client = client
    this.id = id
  }

  /** The base of that name, made where there is none. Says at once when the server does not answer. */
  static async named(client: ServerClient, name: string, signal: AbortSignal): Promise<RemoteKnowledge> {
    const found = await findNamed(client, name, signal)
    if (found) return new RemoteKnowledge(client, found.knowledge_id)
    try {
      const { method, path } = create
      const made = await client.call<NamedBase>({ method, path, json: { name }, signal })
      return new RemoteKnowledge(client, made.knowledge_id)
    } catch (error) {
      if (!(error instanceof ServerRefusal && error.reason === 'already_exists')) throw error
      // Somebody made it a moment ago.
      const theirs = await findNamed(client, name, signal)
      if (!theirs) throw error
      return new RemoteKnowledge(client, theirs.knowledge_id)
    }
  }

  #path = (operation: { path: string }): string => operation.path.replace('{knowledge_id}', this.id)

  get filesAddress(): string {
    return `${this.#client.server}${this.#path(files)}`
  }

  /** One page of the documents; with a status, of those that are so far. */
  page(
    page: number,
    status: (typeof documentStatuses)[number] | undefined,
    signal: AbortSignal,
  ): Promise<Page<RemoteDocument>> {
    const query = { page: String(page), page_size: '100', ...(status && { status }) }
    return this.#client.call({ method: files.method, path: this.#path(files), query, signal })
  }

  documents(signal: AbortSignal): Promise<RemoteDocument[]> {
    return everyPage(({ page }) => this.page(page, undefined, signal))
  }

  /** What is stored under these ids; those that are gone are left out. */
  async storedFiles(ids: string[], signal: AbortSignal): Promise<StoredFile[]> {
    const found: StoredFile[] = []
    const { method, path } = fileOperations.list
    for (let from = 0; from < ids.length; from += mostFilesPerLook) {
      const json = { file_ids: ids.slice(from, from + mostFilesPerLook) }
      const { items } = await this.#client.call<{ items: StoredFile[] }>({ method, path, json, signal })
      found.push(...items)
    }
    return found
  }

  async upload(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
    const { method, path } = fileOperations.upload
    const { file_id } = await this.#client.call<StoredFile>({ method, path, query: { name }, bytes, signal })
    return file_id
  }

  /** Ids of files that were deleted before they could be added. */
  async add(fileIds: string[], signal: AbortSignal): Promise<string[]> {
    const json = { file_ids: fileIds }
    const { skipped } = await this.#client.call<{ skipped: { file_id: string; reason: string }[] }>({
      method: add.method,
      path: this.#path(add),
      json,
      signal,
    })
    return skipped.filter(({ reason }) => reason === 'not_found').map(({ file_id }) => file_id)
  }
}

async function findNamed(
  client: ServerClient,
  name: string,
  signal: AbortSignal,
): Promise<NamedBase | undefined> {
  const { method, path } = list
  const bases = await everyPage(({ page, pageSize }) =>
    client.call<Page<NamedBase>>({
      method,
      path,
      json: { keyword: name, page, page_size: pageSize },
      signal,
      tries: 1,
    }),
  )
  return bases.find(base => base.name === name)
}
