import { hash } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../contract/limits.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import type { RemoteKnowledge } from './remote-knowledge.ts'
import { ServerRefusal } from './server-client.ts'

interface FoundFile {
  path: string
  /** Its path below the folder, with slashes: the name of the document. */
  name: string
  size: number
}

export interface NamedReason {
  name: string
  reason: string
}

export interface FolderContent {
  files: FoundFile[]
  /** What was left out on purpose. */
  skipped: NamedReason[]
  /** What could not be read. */
  unreadable: NamedReason[]
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

const cannotBeRead = (error: unknown): string => `cannot be read (${codeOf(error)})`

function reasonToSkip(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return 'hidden'
  if (entry.isSymbolicLink()) return 'a symbolic link, which is not followed'
  if (!entry.isFile() && !entry.isDirectory()) return 'neither a file nor a folder'
  return undefined
}

/** By code points: the same order on every machine, whatever its locale. */
export const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

/** Everything below a folder, sorted. Links are not followed, so the walk ends and stays inside. */
export async function walkFolder(folder: string, maxBytes: number): Promise<FolderContent> {
  const content: FolderContent = { files: [], skipped: [], unreadable: [] }
  const found = await stat(folder).catch((error: unknown) => {
    throw new Error(
      codeOf(error) === 'ENOENT' ? `There is no folder ${folder}` : `${folder} ${cannotBeRead(error)}`,
    )
  })
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`)

  const addFile = async (path: string, name: string): Promise<void> => {
    const { size } = await lstat(path)
    if (size <= maxBytes) content.files.push({ path, name, size })
    else content.skipped.push({ name, reason: `larger than ${maxBytes} bytes (MAX_FILE_BYTES)` })
  }
  const addFolder = async (path: string, prefix: string): Promise<void> => {
    for (const entry of (await readdir(path, { withFileTypes: true })).sort(byName)) {
      const name = `${prefix}${entry.name}`
      const inside = join(path, entry.name)
      const reason = reasonToSkip(entry)
      if (reason) content.skipped.push({ name, reason })
      else
        await (entry.isDirectory() ? addFolder(inside, `${name}/`) : addFile(inside, name)).catch(error => {
          content.unreadable.push({ name, reason: cannotBeRead(error) })
        })
    }
  }
  await addFolder(folder, '').catch(error => {
    content.unreadable.push({ name: folder, reason: cannotBeRead(error) })
  })
  return content
}

/** Limits the bytes in memory; an item that is larger than the limit is processed alone. */
export class ByteBudget {
  readonly #maxBytes: number
  #held = 0
  /** First in, first out, or a large item would starve. */
  #lastStart: Promise<void> = Promise.resolve()
  #onRelease = (): void => {}

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const share = Math.min(bytes, this.#maxBytes)
    this.#lastStart = this.#lastStart.then(async () => {
      while (this.#held + share > this.#maxBytes)
        await new Promise<void>(resolve => {
          this.#onRelease = resolve
        })
      this.#held += share
    })
    await this.#lastStart
    try {
      return await work()
    } finally {
      this.#held -= share
      this.#onRelease()
    }
  }
}

export interface UploadedFiles {
  /** Documents of the folder, new and existing ones: names by file id. */
  documents: Map<string, string>
  addedCount: number
  /** Files that did not become documents. */
  refused: NamedReason[]
}

const concurrentUploads = 4
const maxBytesInMemory = 64 << 20
/** Errors of one file alone; any other would occur with the next file too. */
const fileErrors = new Set(['too_large', 'invalid_request', 'malformed_upload'])

const keyOf = (name: string, sha256: string): string => `${sha256} ${name}`

async function contentOf(path: string): Promise<Uint8Array> {
  // A file that was replaced by a link since the walk must not be followed.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

class Upload implements UploadedFiles {
  readonly documents = new Map<string, string>()
  addedCount = 0
  readonly refused: NamedReason[] = []
  readonly #base: RemoteKnowledge
  readonly #budget = new ByteBudget(maxBytesInMemory)
  #uploaded: { id: string; name: string }[] = []
  #isAdding = false

  constructor(base: RemoteKnowledge) {
    this.#base = base
  }

  async file(file: FoundFile, existing: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    await this.#budget.hold(file.size, async () => {
      signal.throwIfAborted()
      const bytes = await contentOf(file.path).catch((error: unknown) => {
        this.refused.push({ name: file.name, reason: cannotBeRead(error) })
      })
      if (!bytes) return
      const id = existing.get(keyOf(file.name, hash('sha256', bytes)))
      if (id !== undefined) this.documents.set(id, file.name)
      else await this.#upload(file.name, bytes, signal)
    })
    await this.#add(signal)
  }

  async #upload(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    try {
      this.#uploaded.push({ id: await this.#base.upload(name, bytes, signal), name })
    } catch (error) {
      if (!(error instanceof ServerRefusal && fileErrors.has(error.reason))) throw error
      this.refused.push({ name, reason: error.message })
    }
  }

  /** One call after the other, each with all files uploaded meanwhile, so that an interruption loses little. */
  async #add(signal: AbortSignal): Promise<void> {
    if (this.#isAdding) return
    this.#isAdding = true
    try {
      while (this.#uploaded.length > 0)
        await this.#addGroup(this.#uploaded.splice(0, limits.documentsPerCall), signal)
    } finally {
      this.#isAdding = false
    }
  }

  async #addGroup(group: { id: string; name: string }[], signal: AbortSignal): Promise<void> {
    const ids = group.map(({ id }) => id)
    const deleted = new Set(await this.#base.add(ids, signal))
    for (const { id, name } of group)
      if (deleted.has(id))
        this.refused.push({ name, reason: 'was deleted on the server before it was added' })
      else {
        this.documents.set(id, name)
        this.addedCount++
      }
  }
}

/** The documents of the knowledge base by name and content, which are not uploaded again. */
async function existingDocuments(base: RemoteKnowledge, signal: AbortSignal): Promise<Map<string, string>> {
  const ids = (await base.documents(signal)).map(({ file_id }) => file_id)
  const stored = await base.storedFiles(ids, signal)
  return new Map(stored.map(({ file_id, name, sha256 }) => [keyOf(name, sha256), file_id]))
}

/** Adds every file to the knowledge base, several at a time. */
export async function uploadFiles(
  base: RemoteKnowledge,
  files: FoundFile[],
  onProgress: (count: number) => void,
  interrupted: AbortSignal,
): Promise<UploadedFiles> {
  const existing = await existingDocuments(base, interrupted)
  const upload = new Upload(base)
  const uploadFile = async (file: FoundFile, signal: AbortSignal): Promise<void> => {
    await upload.file(file, existing, signal)
    onProgress(upload.documents.size + upload.refused.length)
  }
  await forEachConcurrently(concurrentUploads, files, uploadFile, interrupted)
  return upload
}
