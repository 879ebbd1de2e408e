import type { Dirent } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface FoundFile {
  path: string
  /** Its path from the folder on, with slashes: what the document is called. */
  name: string
  size: number
}

export interface NamedReason {
  name: string
  reason: string
}

export interface FolderContent {
  files: FoundFile[]
  /** What was passed over on purpose. */
  skipped: NamedReason[]
  /** What was wanted and could not be looked at. */
  unreadable: NamedReason[]
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

export const cannotBeRead = (error: unknown): string => `cannot be read (${codeOf(error)})`

function reasonToSkip(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return 'hidden'
  if (entry.isSymbolicLink()) return 'a symbolic link, which is not followed'
  if (!entry.isFile() && !entry.isDirectory()) return 'neither a file nor a folder'
  return undefined
}

/** By code points: the same order on every machine, whatever its language. */
const byName = (one: Dirent, other: Dirent): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

class Walk implements FolderContent {
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

/** Everything below a folder, sorted. Links are not followed, so it comes to an end and stays inside. */
export async function walkFolder(folder: string, maxBytes: number): Promise<FolderContent> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new Error(
      codeOf(error) === 'ENOENT' ? `There is no folder ${folder}` : `${folder} ${cannotBeRead(error)}`,
    )
  })
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`)
  const walk = new Walk(maxBytes)
  await walk.folder(folder, '')
  return walk
}
