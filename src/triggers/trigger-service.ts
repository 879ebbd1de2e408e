import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField, refuseBlank } from '../kernel/app-error.ts'
import { type Clock, isoTime } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type SecretBox, SecretUnreadable } from '../kernel/secret-box.ts'
import { ownValue } from '../workflow/json-record.ts'
import { type FileLookup, givenInputs, type RunRequest, runInputs } from '../workflow/run/run-inputs.ts'
import { type Runs, variablesOf } from '../workflow/run/run-service.ts'
import { firstOccurrence, nextOccurrences } from './occurrences.ts'
import type { ScheduleSettings, Trigger, TriggerFailure, Webhook, WebhookSettings } from './trigger.ts'
import { checkInputs, defaultInputs, type Fired, fillInputs, hasReference } from './trigger-inputs.ts'
import type { ListedTrigger, OwnedTrigger, TriggerStore } from './trigger-store.ts'
import { type Delivery, mintWebhookSecret, secretProblem, verifyDelivery } from './webhook-auth.ts'

export interface TriggerChange {
  name?: string
  workflowId?: string
  enabled?: boolean
  inputs?: Trigger['inputs']
  schedule?: Partial<ScheduleSettings>
  webhook?: Partial<WebhookSettings>
  secret?: string
  rotateSecret?: boolean
  /** The name of the token. */
  by: string
}

type NewTrigger = TriggerChange & Pick<Trigger, 'kind' | 'name' | 'workflowId'>

/** A trigger with a secret that was set just now. */
export interface ChangedTrigger {
  trigger: ListedTrigger
  secret: string | undefined
}

interface TriggerServiceParts {
  store: TriggerStore
  hasWorkflow(workspaceId: string, workflowId: string): Promise<boolean>
  files: FileLookup
  runs: Pick<Runs, 'variables'>
  /** If undefined, no webhook can be stored. */
  box: SecretBox | undefined
  clock: Clock
  /** Wakes the workers of all processes. */
  changed(): void
}

/** Occurrences that a list shows. */
const shownOccurrences = 5

const noTrigger = (id: string): AppError => new AppError('not_found', `There is no trigger ${id}`)

const contextOf = (workspaceId: string, id: string): string => `trigger ${workspaceId} ${id}`

/** Adds a failure to the count of failures in a row. */
export function failureOf(
  before: TriggerFailure | undefined,
  next: Omit<TriggerFailure, 'count'>,
): TriggerFailure {
  return { ...next, count: (before?.count ?? 0) + 1 }
}

/** Merges a change into settings; members that are no settings are dropped. */
const merged = <Settings extends object>(before: Settings, change: Partial<Settings> = {}): Settings =>
  Object.fromEntries(
    Object.entries(before).map(([name, value]) => [name, change[name as keyof Settings] ?? value]),
  ) as Settings

/** Schedules and webhooks of workspaces, and the runs that they start. */
export class TriggerService {
  readonly #parts: TriggerServiceParts

  constructor(parts: TriggerServiceParts) {
    this.#parts = parts
  }

  async create(workspaceId: string, request: NewTrigger): Promise<ChangedTrigger> {
    const { store, clock } = this.#parts
    const { kind, name, workflowId } = request
    const now = clock.now()
    const blank = {
      ...{ id: mintId('trig'), name, workflowId, enabled: true, inputs: defaultInputs[kind] },
      ...{ nextAt: undefined, failure: undefined, createdAt: now, updatedAt: now, updatedBy: request.by },
    }
    if (kind === 'schedule' && request.schedule?.cron === undefined)
      throw invalidField('/schedule', 'is required for a schedule')
    const first: Trigger =
      kind === 'schedule'
        ? { ...blank, kind, settings: { cron: '', timezone: 'UTC', missed: 'run_latest' } }
        : { ...blank, kind, settings: { auth: 'secret', answer: 'async', wait: 60 }, sealedSecret: '' }
    await this.#checkWorkflow(workspaceId, workflowId)
    const secret =
      kind === 'webhook'
        ? (request.secret ?? mintWebhookSecret(request.webhook?.auth ?? 'secret'))
        : undefined
    const trigger = this.#changed(workspaceId, first, { ...request, ...(secret && { secret }) })
    await this.#checkVariables(workspaceId, trigger)
    if (!(await store.add(workspaceId, trigger, limits.triggersPerWorkspace)))
      throw new AppError(
        'invalid_request',
        `The workspace has ${limits.triggersPerWorkspace} triggers, which is the limit; delete one first`,
      )
    this.#parts.changed()
    return { trigger: { ...trigger, lastRun: undefined }, secret }
  }

  async update(workspaceId: string, id: string, change: TriggerChange): Promise<ChangedTrigger> {
    if (change.workflowId !== undefined) await this.#checkWorkflow(workspaceId, change.workflowId)
    if (change.workflowId !== undefined || change.inputs !== undefined) {
      const { workflowId, inputs } = await this.get(workspaceId, id)
      await this.#checkVariables(workspaceId, { workflowId, inputs, ...withoutAbsent(change) })
    }
    let secret = change.secret
    const trigger = await this.#parts.store.update(workspaceId, id, before => {
      if (before.kind === 'webhook' && change.rotateSecret)
        secret = mintWebhookSecret(change.webhook?.auth ?? before.settings.auth)
      return this.#changed(workspaceId, before, { ...change, ...(secret && { secret }) })
    })
    if (!trigger) throw noTrigger(id)
    this.#parts.changed()
    const lastRun = (await this.#parts.store.lastRuns(workspaceId, [id])).get(id)
    return { trigger: { ...trigger, lastRun }, secret }
  }

  async #checkWorkflow(workspaceId: string, workflowId: string): Promise<void> {
    if (!(await this.#parts.hasWorkflow(workspaceId, workflowId)))
      throw invalidField('/workflow_id', 'does not exist in this workspace')
  }

  /** Checks the values that are known before the trigger fires; the run checks all of them. */
  async #checkVariables(
    workspaceId: string,
    { workflowId, inputs }: Pick<Trigger, 'workflowId' | 'inputs'>,
  ): Promise<void> {
    const { runs, files } = this.#parts
    const all = await variablesOf(runs, workspaceId, workflowId)
    const variables = all.filter(({ name }) => !hasReference(ownValue(inputs, name)))
    await givenInputs({ variables }, inputs, files, workspaceId)
    const sent = ownValue(inputs, 'files')
    if (!hasReference(sent)) await runInputs(files, workspaceId, { files: sent })
  }

  #changed(workspaceId: string, before: Trigger, change: TriggerChange): Trigger {
    const { name, workflowId, enabled, inputs } = { ...before, ...withoutAbsent(change) }
    refuseBlank(name)
    checkInputs(before.kind, inputs)
    const now = this.#parts.clock.now()
    const updatedAt = Math.max(now, before.updatedAt)
    const fields = { name, workflowId, enabled, inputs, updatedAt, updatedBy: change.by }
    if (before.kind === 'webhook') {
      if (change.schedule) throw invalidField('/schedule', 'is not allowed for a webhook')
      const { secret } = change
      const settings = merged(before.settings, change.webhook)
      const problem = secret === undefined ? undefined : secretProblem(secret)
      if (problem) throw invalidField('/secret', problem)
      const sealedSecret =
        secret === undefined ? before.sealedSecret : this.#seal(workspaceId, before.id, secret)
      return { ...before, ...fields, sealedSecret, settings }
    }
    for (const name of ['webhook', 'secret', 'rotateSecret'] as const)
      if (change[name])
        throw invalidField(
          `/${name === 'rotateSecret' ? 'rotate_secret' : name}`,
          'is not allowed for a schedule',
        )
    const settings = merged(before.settings, change.schedule)
    const isSame = JSON.stringify(settings) === JSON.stringify(before.settings)
    // An occurrence that is due right now is not lost when only the name changes.
    const nextAt = isSame && before.enabled ? before.nextAt : firstOccurrence(settings, now)
    return { ...before, ...fields, settings, nextAt: enabled ? nextAt : undefined }
  }

  #seal(workspaceId: string, id: string, secret: string): string {
    if (!this.#parts.box)
      throw new AppError(
        'not_configured',
        'Webhooks cannot be stored: set SECRET_KEY, with which their secrets are encrypted, and restart the server',
      )
    return this.#parts.box.seal(secret, contextOf(workspaceId, id))
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#parts.store.remove(workspaceId, id))) throw noTrigger(id)
  }

  /** Fails with `not_found`. */
  async get(workspaceId: string, id: string): Promise<Trigger> {
    const trigger = await this.#parts.store.find(workspaceId, id)
    if (!trigger) throw noTrigger(id)
    return trigger
  }

  list(workspaceId: string, workflowId: string | undefined, page: PageRequest): Promise<Page<ListedTrigger>> {
    return this.#parts.store.list(workspaceId, workflowId, page)
  }

  /** The next occurrences of a schedule that is enabled. */
  upcoming(trigger: Trigger): number[] {
    if (trigger.kind === 'webhook' || trigger.nextAt === undefined) return []
    const { nextAt, settings } = trigger
    return [nextAt, ...nextOccurrences(settings, nextAt, shownOccurrences - 1)]
  }

  findWebhook(id: string): Promise<OwnedTrigger<Webhook> | undefined> {
    return this.#parts.store.findWebhook(id)
  }

  /** See `verifyDelivery`. */
  verify({ workspaceId, trigger }: OwnedTrigger<Webhook>, delivery: Delivery): string | undefined {
    const { id, settings, sealedSecret } = trigger
    let secret: string
    try {
      if (!this.#parts.box) throw new SecretUnreadable()
      secret = this.#parts.box.open(sealedSecret, contextOf(workspaceId, id))
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
      throw new AppError(
        'not_configured',
        'The secret of this webhook cannot be decrypted, probably because SECRET_KEY has changed: set a new one with POST /api/v1/trigger/update',
      )
    }
    return verifyDelivery(settings.auth, secret, delivery)
  }

  async runOf(
    workspaceId: string,
    { id, kind, workflowId, inputs }: Trigger,
    fired: Omit<Fired, 'time'> & { at: number },
  ): Promise<RunRequest> {
    const { at, ...more } = fired
    const filled = fillInputs(inputs, { ...more, time: isoTime(at) })
    return {
      target: { workflowId },
      trigger: kind,
      triggerId: id,
      inputs: await runInputs(this.#parts.files, workspaceId, filled),
    }
  }

  /** Stores that a webhook started a run, or why it could not. */
  async fired({ workspaceId, trigger }: OwnedTrigger<Webhook>, error?: AppError): Promise<void> {
    const { id, failure } = trigger
    const at = this.#parts.clock.now()
    if (error || failure)
      await this.#parts.store.setFailure(
        workspaceId,
        id,
        error && failureOf(failure, { at, reason: error.reason, message: error.message }),
      )
  }
}

const withoutAbsent = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value
