import {
  array,
  boolean,
  choice,
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
import { limitFields } from './quotas.ts'
import { Type } from './schema.ts'

export const roles = ['admin', 'editor', 'viewer', 'runner'] as const
export type Role = (typeof roles)[number]

const tokenId = id('Token id.', 'tok_Zk3xV0m2q1c5b7n9d1f3gA')
const workspaceId = id('Workspace id.', 'ws_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text('Name that describes the purpose of the token.', [1, 100], { example: 'My application' })
const role = choice(
  roles,
  'admin: full access; editor: everything except tokens and models; viewer: read and search; runner: chat with the listed agents.',
  { example: 'editor' },
)

const callerFields = {
  id: tokenId,
  name,
  role,
  agent_ids: array(Type.String(), 'Agents that a runner may chat with.', { example: [] }),
  user_id: orNull(Type.String(), 'The only user that a runner acts for; null if it is not bound to one.'),
  expires_at: orNull(time('Expiry time.'), 'Expiry time; null if it does not expire.'),
}
export const tokenRecord = { ...callerFields, created_at: time('Creation time.') }
export const workspaceRecord = { id: workspaceId, name, created_at: time('Creation time.') }
const workspaceWithLimits = named(
  'Workspace',
  Type.Object({
    ...workspaceRecord,
    limits: Type.Object(limitFields, { description: 'Limits of this workspace.' }),
  }),
)
const secret = string('The token itself. It is shown only once.', 'banyan_…')

export const tokenOperations = defineOperations('token', {
  create: {
    access: 'admin',
    changes: {
      id: 'data.id',
      shows: ['name', 'role', 'agent_ids', 'user_id', 'expires_in_days', 'workspace_id'],
    },
    summary: 'Create a token',
    details:
      'Only the operator may create a token for another workspace. A runner with `user_id` sees and writes only conversations, runs and files of this user. Without it, the runner may read, rename and delete the conversations of all users of its agents, and acts for any user it names: keep such a token on your own server.',
    body: Type.Object({
      name,
      role,
      ...optional({
        expires_in_days: integerIn('Days until the token expires; omitted: it does not expire.', [1, 3650]),
        agent_ids: array(
          id('Agent id.', 'agent_x'),
          'Required for the role runner, not allowed for other roles.',
          { max: 1000 },
        ),
        user_id: text('Binds a runner to one user, by your own id for the user.', [1, limits.userLength], {
          example: 'user_42',
        }),
        workspace_id: workspaceId,
      }),
    }),
    creates: true,
    data: named('CreatedToken', Type.Object({ ...tokenRecord, workspace_id: workspaceId, token: secret })),
    example: { name: 'My application', role: 'editor', expires_in_days: 90 },
  },
  self: {
    method: 'GET',
    access: 'token',
    summary: 'Describe the calling token',
    data: Type.Object({
      ...callerFields,
      workspace_id: workspaceId,
      workspace_name: string('Name of the token’s workspace.', 'Team tea'),
      is_operator: boolean('Whether it may also manage workspaces.', false),
    }),
  },
  list: {
    access: 'admin',
    summary: 'List the tokens of the workspace, without their secrets',
    body: Type.Object(pagingFields),
    data: pageOf(named('Token', Type.Object(tokenRecord))),
  },
  delete: {
    access: 'admin',
    changes: { id: 'body.id' },
    summary: 'Revoke a token immediately',
    body: Type.Object({ id: tokenId }),
    data: Type.Object({}),
  },
})

export const workspaceOperations = defineOperations('workspace', {
  create: {
    access: 'operator',
    changes: { id: 'data.id', shows: ['name'] },
    summary: 'Create a workspace with its first admin token',
    body: Type.Object({ name }),
    creates: true,
    data: named('CreatedWorkspace', Type.Object({ ...workspaceRecord, token: secret })),
    example: { name: 'Team tea' },
  },
  list: {
    access: 'operator',
    summary: 'List workspaces',
    body: Type.Object(pagingFields),
    data: pageOf(workspaceWithLimits),
  },
  update: {
    access: 'operator',
    changes: { id: 'body.id', shows: ['limits'] },
    summary: 'Set limits of a workspace',
    details: 'Omitted limits are not changed. Null: the value of the server settings applies again.',
    body: Type.Object({ id: workspaceId, limits: Type.Object(optional(limitFields)) }),
    data: workspaceWithLimits,
    example: { id: 'ws_Zk3xV0m2q1c5b7n9d1f3gA', limits: { storage_bytes: 10_000_000_000 } },
  },
  delete: {
    access: 'operator',
    changes: { id: 'body.id' },
    summary: 'Delete a workspace with everything in it',
    details: 'Its tokens stop working immediately; its data is then deleted in the background.',
    body: Type.Object({ id: workspaceId }),
    data: Type.Object({}),
  },
})
