import { roles } from './access-operations.ts'
import {
  anyObject,
  array,
  id,
  integerIn,
  moment,
  named,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { Type } from './schema.ts'

export const auditFields = {
  id: string('Id of the entry.', 'Zk3xV0m2q1c5'),
  at: time('Time of the change.'),
  actor_id: string('Id of the token; empty for the command line.', 'tok_Zk3xV0m2q1c5b7n9d1f3gA'),
  actor_name: string('Name of the token at that time.', 'My application'),
  actor_role: string(`Role of the token: ${roles.join(', ')} or operator.`, 'editor'),
  operation: string('The operation.', 'agent.update'),
  object_kind: string('Kind of the changed object.', 'agent'),
  object_id: string('Id of the changed object; the name of a secret.', 'agent_x'),
  details: anyObject('Values of the request that are safe to log; `changed` names the other members.', {
    access: 'public',
    changed: ['config'],
  }),
  trace_id: string('X-TraceId of the request.', '6f1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e'),
  address: string('Address of the client.', '203.0.113.7'),
}

export const auditOperations = defineOperations('audit', {
  list: {
    method: 'GET',
    path: `${basePath}/audit`,
    access: 'admin',
    summary: 'List changes, newest first',
    details:
      'An entry is committed together with its change. Entries are kept for AUDIT_RETENTION_DAYS. Changes that the operator makes in another workspace are in the log of the operator’s workspace.',
    query: Type.Object(
      optional({
        cursor: text('`next_cursor` of the previous page.', [1, limits.auditCursorLength]),
        page_size: integerIn('Entries per page.', [1, 100], { default: 20 }),
        actor_id: id('Only changes of this token.', 'tok_Zk3xV0m2q1c5b7n9d1f3gA'),
        object_id: text('Only changes of this object.', [1, 64], { example: 'agent_x' }),
        from: moment('Only changes at this time or later.'),
        to: moment('Only changes before this time.'),
      }),
    ),
    data: Type.Object({
      items: array(named('AuditEntry', Type.Object(auditFields)), 'Newest first.'),
      next_cursor: orNull(Type.String(), 'Send it as `cursor` to get the next page; null on the last page.'),
    }),
  },
})
