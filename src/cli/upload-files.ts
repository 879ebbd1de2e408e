import { hash } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../contract/limits.ts'
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

class FolderWalk implements FolderContent {
  readonly files: FoundFile[] = []
  readonly skipped: NamedReason[] = []
  readonly unreadable: NamedReason[] = []
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async folder(path: string, name: string): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      this.unreadable.push({ name: name || path, reason: cannotBeRead(error) })
      return []
    })
    for (const entry of entries.sort(byName)) {
      const inside = { path: join(path, entry.name), name: name ? `${name}/${entry.name}` : entry.name }
      const reason = reasonToSkip(entry)
      if (reason) this.skipped.push({ name: inside.name, reason })
      else if (entry.isDirectory()) await this.folder(inside.path, inside.name)
      else await this.#file(inside)
    }
  }

  async #file({ path, name }: { path: string; name: string }): Promise<void> {
    try {
      const { size } = await lstat(path)
      if (size <= this.#maxBytes) this.files.push({ path, name, size })
      else this.skipped.push({ name, reason: `larger than ${this.#maxBytes} bytes (MAX_FILE_BYTES)` })
    } catch (error) {
      this.unreadable.push({ name, reason: cannotBeRead(error) })
    }
  }
}

/** Everything below a folder, sorted. Links are not followed, so the walk ends and stays inside. */
export async function walkFolder(folder: string, maxBytes: number): Promise<FolderContent> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new Error(
      codeOf(error) === 'ENOENT' ? `There is no folder ${folder}` : `${folder} ${cannotBeRead(error)}`,
    )
  })
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`)
  const walk = new FolderWalk(maxBytes)
  await walk.folder(folder, '')
  return walk
}

/** Limits the bytes in memory; an item that is larger than the limit is processed alone. */
export class ByteBudget {
  readonly #maxBytes: number
  #held = 0
  readonly #waiting: { bytes: number; start: () => void }[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const share = Math.min(bytes, this.#maxBytes)
    await new Promise<void>(start => {
      this.#waiting.push({ bytes: share, start })
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#held -= share
      this.#next()
    }
  }

  /** First in, first out, or a large item would starve. */
  #next(): void {
    for (let first = this.#waiting[0]; first && this.#held + first.bytes <= this.#maxBytes; ) {
      this.#waiting.shift()
      this.#held += first.bytes
      first.start()
      first = this.#waiting[0]
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
  readonly #signal: AbortSignal
  readonly #budget = new ByteBudget(maxBytesInMemory)
  #uploaded: { id: string; name: string }[] = []
  #adding: Promise<void> | undefined

  constructor(base: RemoteKnowledge, signal: AbortSignal) {
    this.#base = base
    this.#signal = signal
  }

  async file(file: FoundFile, existing: ReadonlyMap<string, string>): Promise<void> {
    await this.#budget.hold(file.size, async () => {
      this.#signal.throwIfAborted()
      const bytes = await contentOf(file.path).catch((error: unknown) => {
        this.refused.push({ name: file.name, reason: cannotBeRead(error) })
      })
      if (!bytes) return
      const id = existing.get(keyOf(file.name, hash('sha256', bytes)))
      if (id !== undefined) this.documents.set(id, file.name)
      else await this.#upload(file.name, bytes)
    })
    await this.add()
  }

  async #upload(name: string, bytes: Uint8Array): Promise<void> {
    try {
      this.#uploaded.push({ id: await this.#base.upload(name, bytes, this.#signal), name })
    } catch (error) {
      if (!(error instanceof ServerRefusal && fileErrors.has(error.reason))) throw error
      this.refused.push({ name, reason: error.message })
    }
  }

  /** One call after the other, each with all files uploaded meanwhile, so that an interruption loses little. */
  async add(): Promise<void> {
    if (this.#adding) return
    this.#adding = this.#addUploaded().finally(() => {
      this.#adding = undefined
    })
    await this.#adding
  }

  async #addUploaded(): Promise<void> {
    while (this.#uploaded.length > 0) {
      const group = this.#uploaded.splice(0, limits.documentsPerCall)
      const ids = group.map(({ id }) => id)
      const deleted = new Set(await this.#base.add(ids, this.#signal))
      for (const { id, name } of group)
        if (deleted.has(id))
          this.refused.push({ name, reason: 'was deleted on the server before it was added' })
        else {
          this.documents.set(id, name)
          this.addedCount++
        }
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
  const stop = new AbortController()
  const upload = new Upload(base, AbortSignal.any([interrupted, stop.signal]))
  const remaining = files.values()
  const report = (): void => onProgress(upload.documents.size + upload.refused.length)
  const work = async (): Promise<void> => {
    for (const file of remaining) {
      await upload.file(file, existing)
      report()
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrentUploads }, work))
    await upload.add()
    report()
    return upload
  } catch (error) {
    // The other workers would continue as long as there are files.
    stop.abort(error)
    throw error
  }
}
