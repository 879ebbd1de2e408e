import type { Change, Operation } from '../contract/operation.ts'
import type { AmbientDatabase } from '../database/ambient-database.ts'
import type { Transaction } from '../database/database.ts'
import { type Clock, daysAgo } from '../kernel/clock.ts'
import { isRecord } from '../kernel/is-record.ts'
import { randomText } from '../kernel/random-text.ts'
import type { AuditEntry, AuditStore } from './audit-store.ts'

/** The token that makes a change, and the address it is used from. */
interface Actor {
  workspaceId: string
  /** Of the token; empty for the command line. */
  id: string
  name: string
  role: string
  traceId: string
  address: string
}

interface ChangeRequest {
  body: unknown
  params?: unknown
}

const maxValueLength = 300
const maxNames = 50

const membersOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** A value that is short enough to log, or its beginning. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length <= maxValueLength ? value : `${text.slice(0, maxValueLength).toWellFormed()}…`
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/**
 * The logged details of a request: the values that its definition shows, from the request or the result, and the names of
 * its other members.
 */
function detailsOf(
  { changes, body: schema }: Operation,
  { body, params }: ChangeRequest,
  stored: unknown,
): Record<string, unknown> {
  const { id, shows = [] } = changes!
  const sent = { ...membersOf(params), ...membersOf(body) }
  const result = membersOf(stored)
  const details: Record<string, unknown> = {}
  for (const name of shows) {
    const value = sent[name] ?? (Object.hasOwn(result, name) ? result[name] : undefined)
    if (!isEmpty(value)) details[name] = shortened(value)
  }
  const known = Object.keys(membersOf(membersOf(schema)['properties']))
  const others = known.filter(
    name => Object.hasOwn(sent, name) && !shows.includes(name) && `body.${name}` !== id,
  )
  return others.length > 0 ? { ...details, changed: others.slice(0, maxNames) } : details
}

/** The ids at the declared place; several objects may be changed by one request. */
function changedIds(
  { id: place, isRead }: Change,
  { body, params }: ChangeRequest,
  result: unknown,
): string[] {
  const [source, name] = place.split('.') as [string, string]
  const found = membersOf(source === 'body' ? body : source === 'params' ? params : result)[name]
  const ids = (Array.isArray(found) ? found : [found]).filter(id => typeof id === 'string')
  return isRead && ids.length === 0 ? ['all'] : ids
}

/** Stores who changed what, in the same transaction as the change. */
export class AuditLog {
  readonly store: AuditStore
  readonly #database: AmbientDatabase
  readonly #clock: Clock

  constructor(store: AuditStore, database: AmbientDatabase, clock: Clock) {
    this.store = store
    this.#database = database
    this.#clock = clock
  }

  /** Executes an operation that declares `changes`. If nothing changes, nothing is logged. */
  record<Result>(
    operation: Operation,
    actor: Actor,
    request: ChangeRequest,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const changes = operation.changes!
    const write = (transaction: Transaction, result: unknown): Promise<void> =>
      this.store.add(transaction, this.#entries(operation, actor, request, result))
    if (changes.isRead) return this.#recordRead(write, work)
    if (changes.inOneTransaction || changes.id.startsWith('data.'))
      return this.#database.inOneTransaction<Result>(work, { end: write })
    return this.#database.recording(write, work)
  }

  /** The entry is stored before anything is sent. */
  async #recordRead<Result>(
    write: (transaction: Transaction, result: unknown) => Promise<void>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const result = await work()
    await this.#database.transaction(transaction => write(transaction, undefined))
    return result
  }

  #entries(operation: Operation, actor: Actor, request: ChangeRequest, result: unknown): AuditEntry[] {
    const at = this.#clock.now()
    const details = detailsOf(operation, request, result)
    return changedIds(operation.changes!, request, result).map(objectId => ({
      workspaceId: actor.workspaceId,
      // Short, because it is part of three indexes; it only has to differ from others of the same millisecond.
      id: randomText(9),
      at,
      actorId: actor.id,
      actorName: actor.name,
      actorRole: actor.role,
      operation: operation.name,
      objectKind: operation.family,
      objectId,
      details,
      traceId: actor.traceId,
      address: actor.address,
    }))
  }

  async indexQueued(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.store.indexQueued()));
  }

  async removeOlderThan(days: number, signal: AbortSignal): Promise<void> {
    const time = daysAgo(this.#clock, days)
    while (!signal.aborted && (await this.store.removeBefore(time)));
  }
}
