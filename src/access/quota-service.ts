import type { QuotaName } from '../contract/quotas.ts'
import type { AmbientDatabase } from '../database/ambient-database.ts'
import { AppError } from '../kernel/app-error.ts'
import { type Clock, dayMilliseconds } from '../kernel/clock.ts'
import { LruMap } from '../kernel/lru-map.ts'
import type { QuotaScope, WorkspaceLimits } from './access-store.ts'
import type { QuotaStore } from './quota-store.ts'

interface QuotaParts {
  database: AmbientDatabase
  store: QuotaStore
  /** The limits of the server settings. 0: unlimited. */
  defaults: Required<WorkspaceLimits>
  /** Model tokens of the runs that ended on a day, counted since 1970. */
  tokensOn(workspaceId: string, day: number): Promise<number>
  /** The runs of this process, which start only within the limit that was set last; 0: unlimited. */
  runs: {
    runsOf(workspaceId: string): number
    limit(workspaceId: string, maxRuns: number, elsewhere: number): void
  }
  /** The active runs of other processes. */
  runsElsewhere(workspaceId: string): Promise<number>
  clock: Clock
}

type StoredQuota = 'storageBytes' | 'documents'

/** How long the tokens of a day are cached: adding them up for every run would cost too much. */
const tokensFreshMilliseconds = 1000

const storedMessages: Record<StoredQuota, { name: QuotaName; message: (limit: number) => string }> = {
  storageBytes: {
    name: 'storage_bytes',
    message: limit => `The workspace may store ${limit} bytes of files and workflows; delete some first`,
  },
  documents: {
    name: 'documents',
    message: limit => `The workspace may have ${limit} documents in its knowledge bases; delete some first`,
  },
}

/** Limits the usage of workspaces. The server limits the rate of calls, and the worker the active runs. */
export class QuotaService {
  readonly #parts: QuotaParts
  readonly #tokens = new LruMap<string, { day: number; tokens: number; readAt: number }>(10_000)

  constructor(parts: QuotaParts) {
    this.#parts = parts
  }

  limitOf(name: keyof WorkspaceLimits, own: WorkspaceLimits | undefined): number {
    return own?.[name] ?? this.#parts.defaults[name]
  }

  /** Rolls the work back if more is stored afterwards than is allowed. Exact, even with several servers. */
  async within<Result>(
    { workspaceId, limits }: QuotaScope,
    names: readonly StoredQuota[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const limited = names.filter(name => this.limitOf(name, limits) > 0)
    if (limited.length === 0) return work()
    const { database, store } = this.#parts
    let before = { storageBytes: 0, documents: 0 }
    return database.inOneTransaction(work, {
      begin: async transaction => {
        await store.lock(transaction, workspaceId)
        before = await store.stored(workspaceId, transaction)
      },
      end: async transaction => {
        const after = await store.stored(workspaceId, transaction)
        // A change that takes no space is allowed, even if a limit was lowered below the current usage.
        const grown = limited.filter(name => after[name] > before[name])
        for (const name of grown) this.#refuseAbove(name, after[name], this.limitOf(name, limits))
      },
    })
  }

  /** Refuses an upload that would not fit, before it is received. */
  async refuseLarger({ workspaceId, limits }: QuotaScope, bytes: number): Promise<void> {
    const limit = this.limitOf('storageBytes', limits)
    if (limit === 0) return
    const { storageBytes } = await this.#parts.store.stored(workspaceId)
    this.#refuseAbove('storageBytes', storageBytes + bytes, limit)
  }

  #refuseAbove(quota: StoredQuota, used: number, limit: number): void {
    if (used <= limit) return
    const { name, message } = storedMessages[quota]
    throw new AppError('quota_exceeded', message(limit), { data: { quota: name, limit } })
  }

  /** Checks a new run: refuses it if the model tokens of the day are used up, and sets how many active runs are allowed. */
  async admitRun({ workspaceId, limits }: QuotaScope): Promise<void> {
    const { runs, runsElsewhere } = this.#parts
    const maxRuns = this.limitOf('concurrentRuns', limits)
    runs.limit(workspaceId, maxRuns, maxRuns > 0 ? await runsElsewhere(workspaceId) : 0)
    const limit = this.limitOf('tokensPerDay', limits)
    if (limit === 0 || (await this.#tokensToday(workspaceId)) < limit) return
    const seconds = Math.ceil((dayMilliseconds - (this.#parts.clock.now() % dayMilliseconds)) / 1000)
    throw new AppError(
      'quota_exceeded',
      `The workspace has used its quota of ${limit} model tokens for today; it is reset in ${seconds} s (at midnight UTC)`,
      { data: { quota: 'tokens_per_day', limit }, headers: { 'retry-after': String(seconds) } },
    )
  }

  async #tokensToday(workspaceId: string): Promise<number> {
    const now = this.#parts.clock.now()
    const day = Math.floor(now / dayMilliseconds)
    const known = this.#tokens.get(workspaceId)
    if (known?.day === day && Math.abs(now - known.readAt) < tokensFreshMilliseconds) return known.tokens
    const tokens = await this.#parts.tokensOn(workspaceId, day)
    this.#tokens.set(workspaceId, { day, tokens, readAt: now })
    return tokens
  }

  /** Every limit with its usage. */
  async uses({ workspaceId, limits }: QuotaScope) {
    const { store, tokensOn, runs, runsElsewhere, clock } = this.#parts
    const { storageBytes, documents } = await store.stored(workspaceId)
    const use = (name: keyof WorkspaceLimits, used: number | null) => ({
      limit: this.limitOf(name, limits) || null,
      used,
    })
    return {
      callsPerMinute: use('callsPerMinute', null),
      concurrentRuns: use('concurrentRuns', runs.runsOf(workspaceId) + (await runsElsewhere(workspaceId))),
      storageBytes: use('storageBytes', storageBytes),
      documents: use('documents', documents),
      tokensPerDay: use(
        'tokensPerDay',
        await tokensOn(workspaceId, Math.floor(clock.now() / dayMilliseconds)),
      ),
    }
  }
}
