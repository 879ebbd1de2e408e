import { type WorkspaceLimits, workspaces } from '../access/access-store.ts'
import { byTurns } from '../cluster/queue-worker.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows } from '../database/database.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { type RunSummary, runs } from '../workflow/run/store/run-records.ts'
import { someUsers, type WorkflowUser } from '../workflow/used-by.ts'
import {
  type Schedule,
  type Trigger,
  type TriggerFailure,
  type TriggerRow,
  triggers,
  type Webhook,
} from './trigger.ts'

/** The kind decides which settings a row has; the type of the table cannot express this. */
const asTrigger = (row: TriggerRow): Trigger => row as Trigger

type LastRun = Pick<RunSummary, 'id' | 'status' | 'createdAt' | 'finishedAt'>

export type ListedTrigger = Trigger & { lastRun: LastRun | undefined }

/** A trigger, with its workspace and the limits of that workspace. */
export type OwnedTrigger<Kind extends Trigger> = {
  workspaceId: string
  limits: WorkspaceLimits | undefined
  trigger: Kind
}

/** A schedule whose next occurrence is due, or was when its claim ended. */
export type DueSchedule = OwnedTrigger<Schedule> & { nextAt: number; dueAt: number }

const keys = triggers.keysExcept('workspaceId', 'dueAt')
const columns = triggers.columns(...keys)
const columnsInJoin = triggers.columnsOf('t', ...keys)
const owner = triggers.columnsOf('t', 'workspaceId', 'dueAt')
const ownerLimits = workspaces.columnsOf('w', 'limits')
const lastRun = runs.columnsOf('r', 'triggerId', 'id', 'status', 'createdAt', 'finishedAt')
const newestFirst = new Order('created_at DESC', 'id')
/** The most schedules that a process looks at in one round. */
const maxDue = '100'

export class TriggerStore extends Store {
  /** Adds a trigger; false if the workspace has the maximum number, or was deleted. */
  add(workspaceId: string, trigger: Trigger, maxTriggers: number): Promise<boolean> {
    return this.database.transaction(async transaction => {
      // The lock makes concurrent requests count each other.
      const workspace = await transaction.get(
        sql`SELECT id FROM workspaces WHERE id = ${workspaceId} AND deleted_at IS NULL ${this.database.forUpdate}`,
      )
      if (!workspace) return false
      if ((await countRows(transaction, sql`triggers WHERE workspace_id = ${workspaceId}`)) >= maxTriggers)
        return false
      await transaction.run(triggers.insert({ workspaceId, ...trigger, dueAt: trigger.nextAt }))
      return true
    })
  }

  /** Changes a trigger under a lock, so that no concurrent change is lost. `change` may be called again after a conflict. */
  update(
    workspaceId: string,
    id: string,
    change: (trigger: Trigger) => Trigger,
  ): Promise<Trigger | undefined> {
    return this.database.transaction(async transaction => {
      const key = triggers.where({ workspaceId, id })
      const row = await transaction.get(
        sql`SELECT ${columns} FROM triggers WHERE ${key} ${this.database.forUpdate}`,
      )
      if (!row) return undefined
      const before = asTrigger(row)
      const { id: _, kind: __, createdAt: ___, ...values } = change(before)
      // If the next occurrence stays the same, so does the claim of a process that is firing it.
      const due = values.nextAt === before.nextAt ? {} : { dueAt: values.nextAt }
      await transaction.run(triggers.update(key, { ...values, ...due }))
      return { ...before, ...values } as Trigger
    })
  }

  async remove(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(triggers.delete({ workspaceId, id }))) > 0
  }

  async find(workspaceId: string, id: string): Promise<Trigger | undefined> {
    const row = await this.database.get(triggers.select(columns, { workspaceId, id }))
    return row && asTrigger(row)
  }

  /** The only lookup by id alone: the caller must prove that it knows the secret. */
  async findWebhook(id: string): Promise<OwnedTrigger<Webhook> | undefined> {
    const row = await this.database.get(sql`
      SELECT ${owner}, ${columnsInJoin}, ${ownerLimits} FROM triggers t JOIN workspaces w ON w.id = t.workspace_id
      WHERE t.id = ${id} AND t.kind = 'webhook' AND w.deleted_at IS NULL`)
    if (!row) return undefined
    const { workspaceId, dueAt: _, limits, ...trigger } = row
    return { workspaceId, limits, trigger: asTrigger(trigger) as Webhook }
  }

  async list(
    workspaceId: string,
    workflowId: string | undefined,
    page: PageRequest,
  ): Promise<Page<ListedTrigger>> {
    const where = triggers.where({ workspaceId, ...(workflowId !== undefined && { workflowId }) })
    const found = await readPage(this.database, {
      ...{ workspaceId, columns, source: triggers, where, order: newestFirst, page },
    })
    const latest = await this.lastRuns(
      workspaceId,
      found.items.map(({ id }) => id),
    )
    return { ...found, items: found.items.map(row => ({ ...asTrigger(row), lastRun: latest.get(row.id) })) }
  }

  async usersOf(workspaceId: string, workflowId: string): Promise<WorkflowUser[]> {
    const found = await this.database.all(sql`
      SELECT ${triggers.columns('id', 'name')} FROM triggers
      WHERE ${triggers.where({ workspaceId, workflowId })} ${someUsers}`)
    return found.map(row => ({ kind: 'trigger', ...row }))
  }

  async lastRuns(workspaceId: string, ids: readonly string[]): Promise<Map<string, LastRun>> {
    if (ids.length === 0) return new Map()
    const latest = sql`SELECT id FROM runs WHERE workspace_id = t.workspace_id AND trigger_id = t.id
      AND trigger_id <> '' ORDER BY created_at DESC, id LIMIT 1`
    const rows = await this.database.all(sql`
      SELECT ${lastRun} FROM triggers t JOIN runs r ON r.workspace_id = t.workspace_id AND r.id = (${latest})
      WHERE t.workspace_id = ${workspaceId} AND t.id IN ${list(ids)}`)
    return new Map(rows.map(({ triggerId, ...run }) => [triggerId, run]))
  }

  /** The schedules that may be fired, workspaces in turn. */
  async due(now: number): Promise<DueSchedule[]> {
    const rows = await this.database.all(sql`
      SELECT ${owner}, ${columnsInJoin}, ${ownerLimits} FROM triggers t JOIN workspaces w ON w.id = t.workspace_id
      WHERE t.due_at <= ${now} AND w.deleted_at IS NULL ORDER BY ${byTurns} LIMIT ${raw(maxDue)}`)
    return rows.map(({ workspaceId, dueAt, limits, ...trigger }) => ({
      ...{ workspaceId, limits, trigger: asTrigger(trigger) as Schedule },
      ...{ nextAt: trigger.nextAt!, dueAt: dueAt! },
    }))
  }

  /** When the next schedule that `due` will find is due, or undefined. */
  async nextDue(): Promise<number | undefined> {
    const row = await this.database.get(sql`
      SELECT ${triggers.columnsOf('t', 'dueAt')} FROM triggers t JOIN workspaces w ON w.id = t.workspace_id
      WHERE t.due_at IS NOT NULL AND w.deleted_at IS NULL ORDER BY t.due_at LIMIT 1`)
    return row?.dueAt
  }

  /** Claims the occurrence until that time; false when another process was faster, or the schedule was changed. */
  async claim({ dueAt, ...due }: DueSchedule, until: number): Promise<boolean> {
    return (
      (await this.run(
        sql`UPDATE triggers SET due_at = ${until} WHERE ${occurrence(due)} AND due_at = ${dueAt}`,
      )) > 0
    )
  }

  /** Lets the same occurrence be claimed again from that time on. */
  async postpone(due: DueSchedule, dueAt: number, failure: TriggerFailure): Promise<void> {
    await this.run(triggers.update(occurrence(due), { dueAt, failure }))
  }

  /** The occurrence is over: continues with the next one, if there is one. A schedule that was changed stays as it is. */
  async advance(
    due: DueSchedule,
    nextAt: number | undefined,
    failure: TriggerFailure | undefined,
  ): Promise<void> {
    await this.run(triggers.update(occurrence(due), { nextAt, dueAt: nextAt, failure }))
  }

  async setFailure(workspaceId: string, id: string, failure: TriggerFailure | undefined): Promise<void> {
    await this.run(triggers.update({ workspaceId, id }, { failure }))
  }
}

/** The row, as long as the occurrence is its next one. */
const occurrence = ({ workspaceId, trigger: { id }, nextAt }: Omit<DueSchedule, 'dueAt'>) =>
  triggers.where({ workspaceId, id, nextAt })
