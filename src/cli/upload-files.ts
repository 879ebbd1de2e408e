import { hash } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
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
  /** Files that were left out on purpose. */
  skipped: NamedReason[]
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

/** Compares names by code points: the order is the same on every machine, whatever its locale. */
export const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

/** All files below a folder, sorted. Links are not followed, so the walk ends and stays inside. */
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

export interface UploadedFiles {
  /** Documents of the folder, new and existing ones: names by file id. */
  documents: Map<string, string>
  addedCount: number
  /** Files that did not become documents. */
  refused: NamedReason[]
}

/** The methods of a knowledge base that an upload needs. */
type Target = Pick<RemoteKnowledge, 'documents' | 'storedFiles' | 'upload' | 'add'>

const concurrentUploads = 4
/** Larger files are uploaded one at a time, because a file is held in memory. */
const maxConcurrentBytes = 16 << 20
/** Errors of one file alone; any other would occur with the next file too. */
const fileErrors = new Set(['too_large', 'invalid_request', 'malformed_upload'])

const keyOf = (name: string, sha256: string): string => `${sha256} ${name}`

class UnreadableFile extends Error {}

async function contentOf(path: string): Promise<Uint8Array> {
  try {
    // A file that was replaced by a link since the walk must not be followed.
    return await readFile(path, { flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) })
  } catch (error) {
    throw new UnreadableFile(cannotBeRead(error))
  }
}

/** The documents of the knowledge base by name and content, which are not uploaded again. */
async function existingDocuments(base: Target): Promise<Map<string, string>> {
  const ids = (await base.documents()).map(({ file_id }) => file_id)
  const stored = await base.storedFiles(ids)
  return new Map(stored.map(({ file_id, name, sha256 }) => [keyOf(name, sha256), file_id]))
}

export async function uploadFiles(
  base: Target,
  files: FoundFile[],
  onProgress: (count: number) => void,
  interrupted: AbortSignal,
): Promise<UploadedFiles> {
  const existing = await existingDocuments(base)
  const result: UploadedFiles = { documents: new Map(), addedCount: 0, refused: [] }
  const { documents, refused } = result
  const uploaded: { id: string; name: string }[] = []
  let isAdding = false

  /** Adds the files that were uploaded meanwhile, in one call after the other, so that an interruption loses little. */
  const addUploaded = async (): Promise<void> => {
    if (isAdding) return
    isAdding = true
    while (uploaded.length > 0) {
      const group = uploaded.splice(0, limits.documentsPerCall)
      const ids = group.map(({ id }) => id)
      const deleted = new Set(await base.add(ids))
      for (const { id, name } of group)
        if (deleted.has(id)) refused.push({ name, reason: 'was deleted on the server before it was added' })
        else {
          documents.set(id, name)
          result.addedCount++
        }
    }
    isAdding = false
  }
  const uploadFile = async ({ path, name }: FoundFile, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    try {
      const bytes = await contentOf(path)
      const id = existing.get(keyOf(name, hash('sha256', bytes)))
      if (id !== undefined) documents.set(id, name)
      else uploaded.push({ id: await base.upload(name, bytes), name })
    } catch (error) {
      const isRefused = error instanceof ServerRefusal && fileErrors.has(error.reason)
      if (!isRefused && !(error instanceof UnreadableFile)) throw error
      refused.push({ name, reason: error.message })
    }
    await addUploaded()
    onProgress(documents.size + refused.length)
  }
  const small = files.filter(({ size }) => size <= maxConcurrentBytes)
  const large = files.filter(({ size }) => size > maxConcurrentBytes)
  await forEachConcurrently(concurrentUploads, small, uploadFile, interrupted)
  await forEachConcurrently(1, large, uploadFile, interrupted)
  return result
}
