import {
  anyObject,
  array,
  boolean,
  choice,
  count,
  id,
  integerIn,
  named,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { runId, runRecord, runResult, runStatus } from './run-records.ts'
import { Type } from './schema.ts'
import { workflowId } from './workflow-records.ts'

const triggerId = id('Trigger id.', 'trig_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text('Display name.', [1, limits.nameLength], { example: 'Daily report' })
const enabled = boolean('Whether it starts runs.', true)
const inputs = anyObject(
  'Inputs of the run, as in workflow.run. Texts may refer to `{{#trigger.time#}}`, and for a webhook to `{{#trigger.body.…#}}`, `{{#trigger.headers.…#}}` and `{{#trigger.query.…#}}`; a text that is a single reference becomes the value itself. Default: {} for a schedule, and for a webhook its body as `query`.',
  { query: 'Report of {{#trigger.time#}}' },
)

const schedule = {
  cron: text(
    'Cron expression of 5 fields (minute, hour, day, month, weekday), or 6 with seconds first; or a time such as 2027-01-31T09:00:00, for one occurrence.',
    [1, limits.cronLength],
    { example: '0 9 * * 1-5' },
  ),
  timezone: text('IANA time zone of the expression.', [1, 100], { example: 'Europe/Berlin', default: 'UTC' }),
  missed: choice(
    ['run_latest', 'skip'],
    `What happens to occurrences that were missed by more than ${limits.scheduleLateMilliseconds / 1000} s, because no server was running: \`run_latest\` fires the latest of them once, \`skip\` none.`,
    { default: 'run_latest' },
  ),
}

const webhook = {
  auth: choice(
    ['secret', 'signature', 'github'],
    '`secret`: the sender sends the secret as `Authorization: Bearer <secret>` or in `X-Webhook-Secret`. `signature`: it signs id, timestamp and body as in Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). `github`: it signs the body (`X-Hub-Signature-256`).',
    { default: 'secret' },
  ),
  answer: choice(
    ['async', 'sync'],
    '`async`: 202 with the run id at once. `sync`: waits for the run and returns its result.',
    { default: 'async' },
  ),
  wait: integerIn(
    'Seconds that a `sync` response waits; after that it has the current state, and the run continues.',
    [1, limits.runWaitMilliseconds / 1000],
    { default: 60 },
  ),
}

const secret = text(
  'Secret of the webhook, if the sender chooses it; default: a generated one. It is stored encrypted and never returned again.',
  [limits.webhookSecretMinLength, limits.secretMaxLength],
  { example: 'a-secret-of-at-least-16-characters' },
)

const failure = orNull(
  Type.Object({
    at: time('When it happened.'),
    scheduled_at: orNull(time('The occurrence.'), 'The occurrence of a schedule, or null.'),
    reason: string('A reason from the error table, or `missed`.', 'workflow_not_runnable'),
    message: string('What happened and what to do.'),
    count: count('Number of consecutive failures since the last run that started.', 1),
  }),
  'Why the last run could not start; null if it started.',
)

const lastRun = orNull(
  Type.Object({
    run_id: runId,
    status: runStatus,
    created_at: time('Start time.'),
    finished_at: orNull(time('End time.'), 'End time, or null.'),
  }),
  'The latest run, or null.',
)

export const triggerRecord = {
  id: triggerId,
  kind: choice(['schedule', 'webhook'], 'What starts the runs.'),
  name,
  workflow_id: workflowId,
  enabled,
  inputs,
  schedule: orNull(Type.Object(schedule), 'Settings of a schedule, or null.'),
  webhook: orNull(Type.Object(webhook), 'Settings of a webhook, or null.'),
  path: orNull(Type.String(), 'Path of a webhook on this server, or null.', null),
  next: array(time('An occurrence.'), 'The next occurrences of a schedule that is enabled.', { example: [] }),
  last_run: lastRun,
  failure,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  updated_by: string('Name of the token that last changed it.', 'My application'),
}

const created = {
  ...triggerRecord,
  secret: orNull(Type.String(), 'A secret that was set by this call. It is shown only once.', null),
}
const shown = ['kind', 'name', 'workflow_id', 'enabled'] as const

export const triggerOperations = defineOperations('trigger', {
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: shown },
    summary: 'Create a schedule or a webhook',
    details:
      'Each occurrence of a schedule starts exactly one run, also with several servers. A schedule that never occurs is refused.',
    body: Type.Object({
      kind: triggerRecord.kind,
      name,
      workflow_id: workflowId,
      ...optional({
        enabled,
        inputs,
        schedule: Type.Object({
          cron: schedule.cron,
          ...optional({ timezone: schedule.timezone, missed: schedule.missed }),
        }),
        webhook: Type.Object(optional(webhook)),
        secret,
      }),
    }),
    creates: true,
    data: named('SavedTrigger', Type.Object(created)),
    example: {
      kind: 'schedule',
      name: 'Daily report',
      workflow_id: 'wf_hello',
      inputs: { query: 'Report of {{#trigger.time#}}' },
      schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
    },
  },
  update: {
    access: 'write',
    changes: { id: 'body.id', shows: shown },
    summary: 'Change a trigger',
    details:
      'Fields that are not sent keep their values. A changed or enabled schedule continues with its next occurrence from now.',
    body: Type.Object({
      id: triggerId,
      ...optional({
        name,
        workflow_id: workflowId,
        enabled,
        inputs,
        schedule: Type.Object(optional(schedule)),
        webhook: Type.Object(optional(webhook)),
        secret,
        rotate_secret: boolean('Whether to replace the secret with a generated one.', false),
      }),
    }),
    data: named('SavedTrigger', Type.Object(created)),
    example: { id: 'trig_Zk3xV0m2q1c5b7n9d1f3gA', enabled: false },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id' },
    summary: 'Delete a trigger',
    details: 'Its runs are kept.',
    body: Type.Object({ id: triggerId }),
    data: Type.Object({}),
  },
  list: {
    access: 'read',
    summary: 'List triggers, newest first, with their next occurrences and last results',
    body: Type.Object({ ...optional({ workflow_id: workflowId }), ...pagingFields }),
    data: pageOf(named('Trigger', Type.Object(triggerRecord))),
    example: { page: 1, page_size: 20 },
  },
  runs: {
    access: 'read',
    summary: 'List the runs of a trigger, newest first',
    body: Type.Object({ id: triggerId, ...pagingFields }),
    data: pageOf(named('Run', Type.Object(runRecord))),
  },
  fire: {
    path: '/hooks/{id}',
    access: 'anyone',
    summary: 'Call a webhook',
    details:
      'The sender authenticates with the secret of the webhook, as its `auth` requires; no token is needed. The body is JSON, a form or text. A repeated delivery, recognised by its `webhook-id`, `Idempotency-Key` or signature, returns the run of the first delivery. With `sync` the response is 200 with the result of the run, otherwise 202 with its id.',
    params: Type.Object({ id: triggerId }),
    streamsBody: true,
    bodyTypes: ['application/json', 'application/x-www-form-urlencoded', 'text/plain'],
    body: Type.Unknown({ description: 'Body of the sender; may be empty.' }),
    example: { event: 'order.paid', order: 17 },
    headers: {
      'X-Webhook-Secret': 'The secret, for `auth` secret.',
      'Idempotency-Key': 'Id of the delivery, for `auth` secret.',
      'webhook-id': 'Id of the delivery, for `auth` signature.',
      'webhook-timestamp': 'Unix time in seconds, for `auth` signature.',
      'webhook-signature':
        '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots, for `auth` signature; several are separated by spaces.',
      'X-Hub-Signature-256': '`sha256=` and the hex HMAC-SHA256 of the body, for `auth` github.',
    },
    data: named('RunResult', Type.Object(runResult)),
    accepted: Type.Object({ run_id: runId }),
  },
})
