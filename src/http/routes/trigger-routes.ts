import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { QuotaService } from '../../access/quota-service.ts'
import { limits } from '../../contract/limits.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { triggerOperations as operations, triggerRecord } from '../../contract/trigger-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, isoTime } from '../../kernel/clock.ts'
import { derivedId } from '../../kernel/ids.ts'
import type { WarnLog } from '../../kernel/warn-log.ts'
import type { Trigger, Webhook } from '../../triggers/trigger.ts'
import type { ChangedTrigger, TriggerChange, TriggerService } from '../../triggers/trigger-service.ts'
import type { ListedTrigger, OwnedTrigger } from '../../triggers/trigger-store.ts'
import type { Runs } from '../../workflow/run/run-service.ts'
import { Answer, jsonHeaders, jsonObject, successText } from '../answer.ts'
import { isJsonType, parseJson, readBytes, typeSent } from '../body.ts'
import type { RequestLimiter } from '../request-limiter.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'
import { resultMembers, listedOnWire as runOnWire } from './run-routes.ts'
import { runState, type StartedRun, startRun } from './run-waits.ts'

interface TriggerRouteParts {
  triggers: TriggerService
  runs: Runs
  quotas: Pick<QuotaService, 'admitRun'>
  limiter: RequestLimiter
  clock: Clock
  log: WarnLog
}

/** Headers that are never passed on to a run. */
const confidentialHeaders = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-webhook-secret',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
])

const passedHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !confidentialHeaders.has(name) ? [[name, value]] : [],
    ),
  )

const textOf = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new AppError('unsupported_media_type', 'The body of a webhook must be text in UTF-8')
  }
}

/** The body of a webhook: JSON, a form or a text. */
async function bodyValue(body: Buffer, contentType: string | undefined): Promise<unknown> {
  if (body.length === 0) return null
  if (isJsonType(contentType)) return (await parseJson([body], undefined, { keepsDigits: true })).value
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? ''))
    return Object.fromEntries(new URLSearchParams(textOf(body)))
  if (/^text\//i.test(contentType ?? '')) return textOf(body)
  throw new AppError(
    'unsupported_media_type',
    `Send the body of a webhook as JSON, as a form or as text, not ${typeSent(contentType)}`,
  )
}

const lastRunOnWire = ({ id, status, createdAt, finishedAt }: NonNullable<ListedTrigger['lastRun']>) => ({
  run_id: id,
  status,
  created_at: isoTime(createdAt),
  finished_at: finishedAt === undefined ? null : isoTime(finishedAt),
})

const failureOnWire = ({ at, scheduledAt, ...failure }: NonNullable<Trigger['failure']>) => ({
  at: isoTime(at),
  scheduled_at: scheduledAt === undefined ? null : isoTime(scheduledAt),
  ...failure,
})

const onWire = wireWriter(triggerRecord)
const settingsOf = wireReader(operations.update.body.properties)

type ChangeBody = Call<typeof operations.create | typeof operations.update>['body']

export function triggerRoutes(parts: TriggerRouteParts): Route[] {
  const { triggers, runs } = parts

  const triggerOnWire = (trigger: ListedTrigger) => {
    const { kind, settings, lastRun, failure } = trigger
    return onWire({
      ...trigger,
      schedule: kind === 'schedule' ? settings : undefined,
      webhook: kind === 'webhook' ? settings : undefined,
      path: kind === 'webhook' ? `/hooks/${trigger.id}` : undefined,
      next: triggers.upcoming(trigger).map(isoTime),
      lastRun: lastRun && lastRunOnWire(lastRun),
      failure: failure && failureOnWire(failure),
    })
  }
  const changedOnWire = ({ trigger, secret }: ChangedTrigger) => ({
    ...triggerOnWire(trigger),
    secret: secret ?? null,
  })
  const changeOf = (body: ChangeBody, { token }: Pick<Call, 'token'>): TriggerChange => ({
    ...settingsOf(body),
    by: token.name,
  })

  return [
    route(operations.create, async call => {
      const { workspaceId, body } = call
      const { kind, name, workflow_id: workflowId } = body
      return changedOnWire(
        await triggers.create(workspaceId, { ...changeOf(body, call), kind, name, workflowId }),
      )
    }),
    route(operations.update, async call =>
      changedOnWire(await triggers.update(call.workspaceId, call.body.id, changeOf(call.body, call))),
    ),
    route(operations.delete, ({ workspaceId, body }) => triggers.remove(workspaceId, body.id)),
    route(operations.list, ({ workspaceId, body }) => {
      const list = (page: PageRequest) => triggers.list(workspaceId, body.workflow_id, page)
      return pageAnswer(body, list, triggerOnWire)
    }),
    route(operations.runs, async ({ workspaceId, body }) => {
      const { id: triggerId } = await triggers.get(workspaceId, body.id)
      const list = (page: PageRequest) => runs.list(workspaceId, { triggerId }, page)
      return pageAnswer(body, list, runOnWire)
    }),
    route(operations.fire, call => fireWebhook(parts, call)),
  ]
}

async function fireWebhook(
  parts: TriggerRouteParts,
  { params, request, reply }: Call<typeof operations.fire>,
): Promise<Answer | object> {
  const { triggers, limiter, runs } = parts
  limiter.refuseGuessing(request.ip, params.id)
  const owned = await triggers.findWebhook(params.id)
  if (!owned) throw new AppError('not_found', 'There is no such webhook')
  const { workspaceId, limits: own, trigger } = owned
  const body = await readBytes(request.raw, limits.webhookBytes)
  const key = verified(parts, owned, request, body)
  reply.headers(limiter.take({ id: trigger.id, workspaceId, limits: own }) ?? {})
  if (!trigger.enabled) throw new AppError('not_found', 'This webhook is disabled')
  let started: StartedRun
  try {
    started = await startWebhookRun(parts, owned, { request, body, key })
  } catch (error) {
    if (error instanceof AppError) await triggers.fired(owned, error)
    throw error
  }
  await triggers.fired(owned)
  if (!started.settled) reply.header('idempotency-replayed', 'true')
  const { answer, wait: seconds } = trigger.settings
  if (answer === 'async')
    return new Answer(202, jsonHeaders, successText(JSON.stringify({ run_id: started.runId })))
  const wait = { seconds, stopping: request.server.stopping }
  return jsonObject(resultMembers(await runState(runs, workspaceId, started, wait)))
}

type WebhookRequest = Call['request']

/** Returns the id of the delivery. Wrong secrets are limited per sender and webhook: others may share the address. */
function verified(
  { triggers, limiter, clock, log }: TriggerRouteParts,
  owned: OwnedTrigger<Webhook>,
  { headers, ip, traceId }: WebhookRequest,
  body: Buffer,
): string | undefined {
  const { id } = owned.trigger
  try {
    return triggers.verify(owned, { headers, body, at: clock.now() })
  } catch (error) {
    if (error instanceof AppError && error.reason === 'token_invalid') {
      limiter.countWrongToken(ip, id)
      log.warn({ trace_id: traceId, address: ip, trigger_id: id }, 'A webhook was refused')
    }
    throw error
  }
}

async function startWebhookRun(
  { triggers, runs, quotas, clock }: TriggerRouteParts,
  { workspaceId, limits: own, trigger }: OwnedTrigger<Webhook>,
  { request, body, key }: { request: WebhookRequest; body: Buffer; key: string | undefined },
): Promise<StartedRun> {
  const { headers, url } = request
  const runRequest = await triggers.runOf(workspaceId, trigger, {
    at: clock.now(),
    body: await bodyValue(body, headers['content-type']),
    headers: passedHeaders(headers),
    query: Object.fromEntries(new URL(url, 'http://localhost').searchParams),
  })
  const keyed = key && {
    runId: derivedId('run', [trigger.id, key]),
    fingerprint: hash('sha256', body),
    ...(trigger.settings.auth === 'signature' && { header: 'webhook-id' }),
  }
  return startRun(runs, workspaceId, runRequest, {
    keyed: keyed || undefined,
    admit: () => quotas.admitRun({ workspaceId, limits: own }),
  })
}
