import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { limits } from '../contract/limits.ts'
import { ByteBudget } from './byte-budget.ts'
import type { RemoteKnowledge } from './remote-knowledge.ts'
import { ServerRefusal } from './server-client.ts'
import { cannotBeRead, type FoundFile, type NamedReason } from './walk-folder.ts'

export interface SentFiles {
  /** Documents of the folder, new ones and those that were there: names by file id. */
  documents: Map<string, string>
  addedCount: number
  /** Files that did not become documents. */
  refused: NamedReason[]
}

const uploadsAtATime = 4
const bytesAtATime = 64 << 20
/** What is wrong with one file alone; anything else would go wrong with the next one too. */
const faultsOfAFile = new Set(['too_large', 'invalid_request', 'malformed_upload'])

const keyOf = (name: string, sha256: string): string => `${sha256} ${name}`

async function contentOf(path: string): Promise<Uint8Array> {
  // A file that became a link since the folder was read leads elsewhere.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

class Sending implements SentFiles {
  readonly documents = new Map<string, string>()
  addedCount = 0
  readonly refused: NamedReason[] = []
  readonly #base: RemoteKnowledge
  readonly #signal: AbortSignal
  readonly #budget = new ByteBudget(bytesAtATime)
  #uploaded: { id: string; name: string }[] = []
  #adding: Promise<void> | undefined

  constructor(base: RemoteKnowledge, signal: AbortSignal) {
    this.#base = base
    this.#signal = signal
  }

  async send(file: FoundFile, known: Map<string, string>): Promise<void> {
    await this.#budget.hold(file.size, async () => {
      this.#signal.throwIfAborted()
      const bytes = await contentOf(file.path).catch((error: unknown) => {
        this.refused.push({ name: file.name, reason: cannotBeRead(error) })
      })
      if (!bytes) return
      const there = known.get(keyOf(file.name, hash('sha256', bytes)))
      if (there !== undefined) this.documents.set(there, file.name)
      else await this.#upload(file.name, bytes)
    })
    await this.add()
  }

  async #upload(name: string, bytes: Uint8Array): Promise<void> {
    try {
      this.#uploaded.push({ id: await this.#base.upload(name, bytes, this.#signal), name })
    } catch (error) {
      if (!(error instanceof ServerRefusal && faultsOfAFile.has(error.reason))) throw error
      this.refused.push({ name, reason: error.message })
    }
  }

  /** One call after the other, each with all that was uploaded meanwhile: little is lost when it is interrupted. */
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
      const gone = new Set(
        await this.#base.add(
          group.map(({ id }) => id),
          this.#signal,
        ),
      )
      for (const { id, name } of group)
        if (gone.has(id)) this.refused.push({ name, reason: 'was deleted on the server before it was added' })
        else {
          this.documents.set(id, name)
          this.addedCount++
        }
    }
  }
}

/** The documents of the base by name and content: what is there already is not sent again. */
async function knownDocuments(base: RemoteKnowledge, signal: AbortSignal): Promise<Map<string, string>> {
  const documents = await base.documents(signal)
  const stored = await base.storedFiles(
    documents.map(({ file_id }) => file_id),
    signal,
  )
  return new Map(stored.map(({ file_id, name, sha256 }) => [keyOf(name, sha256), file_id]))
}

/** Makes every file a document of the base, several at a time. */
export async function sendFiles(
  base: RemoteKnowledge,
  files: FoundFile[],
  onSettled: (count: number) => void,
  interrupted: AbortSignal,
): Promise<SentFiles> {
  const known = await knownDocuments(base, interrupted)
  const stop = new AbortController()
  const sending = new Sending(base, AbortSignal.any([interrupted, stop.signal]))
  const rest = files.values()
  const tell = (): void => onSettled(sending.documents.size + sending.refused.length)
  const sendRest = async (): Promise<void> => {
    for (const file of rest) {
      await sending.send(file, known)
      tell()
    }
  }
  try {
    await Promise.all(Array.from({ length: uploadsAtATime }, sendRest))
    await sending.add()
    tell()
    return sending
  } catch (error) {
    // The others would go on for as long as there are files.
    stop.abort(error)
    throw error
  }
}
