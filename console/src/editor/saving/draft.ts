import { parseExact } from '../../api/exact-json.ts'
import { type Draft, joinDrafts } from '../model/join-drafts.ts'

const prefix = 'banyan.draft.'
const thisTab = crypto.getRandomValues(new Uint32Array(2)).join('-')

interface StoredDraft extends Draft {
  readonly key: string
  /** When the draft was written. */
  readonly at: number
}

/** The unsaved edits of one workflow in this browser, so that neither a crash nor a closed tab loses them. */
export class Drafts {
  readonly #storage: Storage
  readonly #place: string
  /** Two tabs may edit the same workflow: each has its own draft. */
  readonly #key: string

  constructor(workspaceId: string, workflowId: string, storage: Storage = localStorage, tab = thisTab) {
    this.#storage = storage
    this.#place = `${prefix}${encodeURIComponent(workspaceId)}/${encodeURIComponent(workflowId)}/`
    this.#key = this.#place + tab
  }

  /** All remaining drafts, joined. */
  read(): Draft | undefined {
    return joinDrafts(this.#readAll())?.draft
  }

  /** This tab takes over all remaining drafts, and deletes them once they are saved. */
  claim(): Draft | undefined {
    const found = joinDrafts(this.#readAll())
    if (!found || !this.keep(found.draft)) return found?.draft
    for (const { key } of found.joined) if (key !== this.#key) this.#storage.removeItem(key)
    return found.draft
  }

  /** Whether there was enough storage. */
  keep(draft: Draft): boolean {
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ ...draft, at: Date.now() }))
      return true
    } catch {
      // Saving is still retried, and leaving the page still asks.
      return false
    }
  }

  forget(): void {
    this.#storage.removeItem(this.#key)
  }

  /** Deletes all drafts, including those of other tabs. */
  forgetAll(): void {
    for (const key of this.#keys()) this.#storage.removeItem(key)
  }

  #keys(): string[] {
    return Object.keys(this.#storage).filter(key => key.startsWith(this.#place))
  }

  #readAll(): StoredDraft[] {
    const found = this.#keys().flatMap(key => readDraft(key, this.#storage.getItem(key)) ?? [])
    return found.toSorted((one, other) => one.at - other.at)
  }
}

function readDraft(key: string, text: string | null): StoredDraft | undefined {
  try {
    const {
      version,
      base,
      mine,
      sent = [],
      places = {},
      shapes = {},
      at = 0,
    } = parseExact(text ?? '{}') as Partial<StoredDraft>
    return version && base && mine ? { key, version, base, mine, sent, places, shapes, at } : undefined
  } catch {
    return undefined
  }
}

/** Called on sign-out, because the next user of this browser must not find drafts. */
export function forgetAllDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}
