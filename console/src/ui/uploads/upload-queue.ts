import type { ApiFailure } from '../../api/api-failure.ts'

/** Options of queued files. */
export type Metadata = Record<string, unknown>
type EntryState = 'waiting' | 'sending' | 'sent' | 'adding' | 'added' | 'failed' | 'canceled'

/** One file being uploaded. */
export interface UploadEntry {
  readonly id: number
  readonly file: File
  readonly name: string
  readonly metadata: Metadata
  readonly state: EntryState
  /** Share of its bytes that has been sent. */
  readonly share: number
  /** Known once it is uploaded; then a retry only has to add it. */
  readonly fileId?: string
  readonly error?: unknown
}

export interface UploadSteps {
  send(file: File, options: { onProgress: (share: number) => void; signal: AbortSignal }): Promise<string>
  /** Adds uploaded files to their target; returns those that were rejected. If omitted, they are only uploaded. */
  add?(fileIds: string[], metadata: Metadata): Promise<ReadonlyMap<string, ApiFailure>>
}

const maxConcurrent = 3
const maxPerCall = 100
/** Files that finish together are added together. */
const gatherMilliseconds = 250

export const isUnderWay = ({ state }: UploadEntry): boolean =>
  state === 'waiting' || state === 'sending' || state === 'sent' || state === 'adding'

/**
 * Uploads many files, a few at a time. It lives outside of the page, so that uploads continue while the user
 * visits other pages.
 */
export class UploadQueue {
  #entries: readonly UploadEntry[] = []
  readonly #steps: UploadSteps
  readonly #aborts = new Map<number, AbortController>()
  readonly #listeners = new Set<() => void>()
  #nextId = 1
  #isAdding = false
  #gathering: ReturnType<typeof setTimeout> | undefined

  constructor(steps: UploadSteps) {
    this.#steps = steps
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly entries = (): readonly UploadEntry[] => this.#entries

  put(files: readonly { file: File; name: string }[], metadata: Metadata = {}): void {
    const added = files.map(({ file, name }): UploadEntry => {
      const id = this.#nextId
      this.#nextId += 1
      return { id, file, name, metadata, state: 'waiting', share: 0 }
    })
    this.#set([...this.#entries, ...added])
    this.#advance()
  }

  retry(ids?: readonly number[]): void {
    const again = (entry: UploadEntry): boolean =>
      entry.state === 'failed' && (ids === undefined || ids.includes(entry.id))
    this.#set(
      this.#entries.map(entry => {
        if (!again(entry)) return entry
        const { error: _, ...rest } = entry
        return entry.fileId === undefined
          ? { ...rest, state: 'waiting', share: 0 }
          : { ...rest, state: 'sent' }
      }),
    )
    this.#advance()
    this.#gather()
  }

  /** Cancels files that have not been added yet. */
  cancel(ids?: readonly number[]): void {
    const isMeant = ({ id, state }: UploadEntry): boolean =>
      (state === 'waiting' || state === 'sending' || state === 'sent') &&
      (ids === undefined || ids.includes(id))
    const meant = this.#entries.filter(isMeant)
    const gone = new Set(meant.map(({ id }) => id))
    this.#set(this.#entries.map(entry => (gone.has(entry.id) ? { ...entry, state: 'canceled' } : entry)))
    for (const id of gone) this.#aborts.get(id)?.abort()
  }

  /** Removes finished entries. */
  clear(): void {
    this.#set(this.#entries.filter(isUnderWay))
  }

  #set(entries: readonly UploadEntry[]): void {
    this.#entries = entries
    for (const listener of this.#listeners) listener()
  }

  #patch(id: number, change: Partial<UploadEntry>): void {
    this.#set(this.#entries.map(entry => (entry.id === id ? { ...entry, ...change } : entry)))
  }

  #advance(): void {
    for (const entry of this.#entries) {
      if (this.#aborts.size >= maxConcurrent) return
      if (entry.state === 'waiting') void this.#send(entry)
    }
  }

  async #send({ id, file, name }: UploadEntry): Promise<void> {
    const abort = new AbortController()
    this.#aborts.set(id, abort)
    this.#patch(id, { state: 'sending' })
    let reported = 0
    const onProgress = (share: number): void => {
      // Smaller steps are not visible, and each one renders the list again.
      if (abort.signal.aborted || share - reported < 0.02) return
      reported = share
      this.#patch(id, { share })
    }
    try {
      // A file of a folder is named by its path there.
      const named = file.name === name ? file : new File([file], name, { type: file.type })
      const fileId = await this.#steps.send(named, { onProgress, signal: abort.signal })
      const state = this.#steps.add ? 'sent' : 'added'
      if (!abort.signal.aborted) this.#patch(id, { state, share: 1, fileId })
    } catch (error) {
      if (!abort.signal.aborted) this.#patch(id, { state: 'failed', error })
    }
    this.#aborts.delete(id)
    this.#advance()
    this.#gather()
  }

  #gather(): void {
    if (this.#isAdding || this.#gathering !== undefined) return
    if (!this.#entries.some(({ state }) => state === 'sent')) return
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined
      void this.#add()
    }, gatherMilliseconds)
  }

  async #add(): Promise<void> {
    const first = this.#entries.find(({ state }) => state === 'sent')
    if (!first) return
    const batch = this.#entries
      .filter(({ state, metadata }) => state === 'sent' && metadata === first.metadata)
      .slice(0, maxPerCall)
    const ids = new Set(batch.map(({ id }) => id))
    this.#isAdding = true
    this.#set(this.#entries.map(entry => (ids.has(entry.id) ? { ...entry, state: 'adding' } : entry)))
    let outcome: (entry: UploadEntry) => UploadEntry
    try {
      const refused = await this.#steps.add!(
        batch.map(({ fileId }) => fileId!),
        first.metadata,
      )
      outcome = entry => {
        const error = refused.get(entry.fileId!)
        return error ? { ...entry, state: 'failed', error } : { ...entry, state: 'added' }
      }
    } catch (error) {
      outcome = entry => ({ ...entry, state: 'failed', error })
    }
    this.#isAdding = false
    this.#set(this.#entries.map(entry => (ids.has(entry.id) ? outcome(entry) : entry)))
    this.#gather()
  }
}
