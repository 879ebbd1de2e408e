import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { integer, table, text } from '../database/table.ts'
import { mintId } from '../kernel/ids.ts'
import { StartError } from '../kernel/start-error.ts'
import type { BlobStore } from './blob-store.ts'
import type { FileStore } from './file-store.ts'

export const installation = table('installation', {
  id: text(),
  scrubbedUpTo: text(),
  scrubStartedAt: integer(),
})

interface InstallationParts {
  database: Database
  files: Pick<FileStore, 'knownKeys' | 'hasBlobs'>
  blobs: Pick<BlobStore, 'list' | 'installationId' | 'setInstallationId'>
  /** Where the database and the blob store are, for messages. */
  places: { database: string; blobs: string }
}

type DestinationStore = Pick<BlobStore, 'installationId' | 'setInstallationId'>

/** Start of the text that a store has in place of an id after its files were moved elsewhere. */
const moved = 'moved to '

/** The database must know at least one of this many blobs. */
const sampleSize = 500

/** Whether a store without an id may be that of this database: it has blobs that the database knows, or neither has any. */
export async function matchesContents({
  blobs,
  files,
}: Pick<InstallationParts, 'files'> & { blobs: Pick<BlobStore, 'list'> }): Promise<boolean> {
  const keys: string[] = []
  for (const area of ['blobs', 'quarantine'] as const)
    for await (const { key } of blobs.list(area)) if (keys.push(key) >= sampleSize) break
  return keys.length > 0 ? (await files.knownKeys(keys)).size > 0 : !(await files.hasBlobs())
}

/** Both hold the same id: to another database every blob would be an orphan, so no server may start. */
export class Installation {
  readonly #parts: InstallationParts

  constructor(parts: InstallationParts) {
    this.#parts = parts
  }

  get filesPlace(): string {
    return this.#parts.places.blobs
  }

  /** Fails with a `StartError` unless they belong together. The first start gives both the same id. */
  async open(): Promise<void> {
    // Read before the database: another replica may be writing both, the database first.
    const storeId = await this.#parts.blobs.installationId()
    if (storeId === undefined && (await matchesContents(this.#parts)))
      await this.#parts.blobs.setInstallationId(await this.#createOwnId(), { replace: false })
    await this.check()
  }

  /** Binds the blob store to this database. */
  async adopt(): Promise<string> {
    return this.#parts.blobs.setInstallationId(await this.#createOwnId(), { replace: true })
  }

  async check(): Promise<void> {
    const own = await this.#ownId()
    if (own === undefined || own !== (await this.#parts.blobs.installationId())) throw await this.#mismatch()
  }

  /** Fails if the other store belongs to another installation. */
  async checkDestination(destination: DestinationStore, place: string): Promise<void> {
    const theirs = await destination.installationId()
    if (theirs === undefined || theirs === (await this.#ownId())) return
    throw new StartError(
      theirs.startsWith(moved)
        ? `The files in ${place} were ${theirs} before. Nothing was changed. Delete what is left of them, or choose a place without files.`
        : `The files in ${place} belong to the installation ${theirs}. Nothing was changed. Choose a place without files.`,
    )
  }

  /** Binds the other store, which has all contents, to this database; servers then refuse the present one. */
  async moveTo(destination: DestinationStore, place: string): Promise<void> {
    await destination.setInstallationId((await this.#ownId())!, { replace: true })
    await this.#parts.blobs.setInstallationId(`${moved}${place}`, { replace: true })
  }

  async #ownId(): Promise<string | undefined> {
    return (await this.#parts.database.get(sql`SELECT ${installation.columns('id')} FROM installation`))?.id
  }

  /** A crash before the store has it, too, leaves a store without an id, which the next start gives it. */
  async #createOwnId(): Promise<string> {
    const row = installation.insert({ id: mintId('inst'), scrubbedUpTo: '', scrubStartedAt: 0 })
    await this.#parts.database.transaction(transaction => transaction.run(sql`${row} ON CONFLICT DO NOTHING`))
    return (await this.#ownId())!
  }

  async #mismatch(): Promise<StartError> {
    const { blobs, places } = this.#parts
    const [own, theirs] = [await this.#ownId(), await blobs.installationId()]
    // Adopting this store would bring back old files, and lose those that were added since.
    if (theirs?.startsWith(moved))
      return new StartError(
        `The files in ${places.blobs} were ${theirs}. Nothing was changed. Set BLOB_URL to that place, or unset it where that is DATA_DIR, and start again.`,
      )
    const folder = theirs === undefined ? 'have no installation id' : `belong to the installation ${theirs}`
    const database =
      own === undefined ? 'is new and knows none of them' : `belongs to the installation ${own}`
    return new StartError(
      `The files in ${places.blobs} ${folder}, but the database ${places.database} ${database}. Nothing was changed. Check DATABASE_URL, DATA_DIR and BLOB_URL, or put the lost database back; a new database needs its own files. To use these files with this database from now on: npm run banyan -- files adopt --yes`,
    )
  }
}
