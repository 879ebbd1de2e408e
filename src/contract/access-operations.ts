import Type from 'typebox'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

export const roles = ['admin', 'editor', 'viewer', 'runner'] as const
export type Role = (typeof roles)[number]

const tokenId = id('Token id.', 'tok_Zk3xV0m2q1c5b7n9d1f3gA')
const workspaceId = id('Workspace id.', 'ws_Zk3xV0m2q1c5b7n9d1f3gA')
const name = text({
  minLength: 1,
  maxLength: 100,
  description: 'A name that says what it is for.',
  examples: ['My program'],
})
const role = Type.Enum([...roles], {
  description:
    'admin: all; editor: all but tokens; viewer: reads and searches; runner: talks to the named agents.',
  examples: ['editor'],
})

const tokenRecord = {
  id: tokenId,
  name,
  role,
  agent_ids: Type.Array(Type.String(), { description: 'Agents a runner may talk to.', examples: [[]] }),
  created_at: time('Creation time.'),
  expires_at: Type.Union([time('When it ends.'), Type.Null()], {
    description: 'When it ends; null if it does not.',
  }),
}
const workspaceRecord = { id: workspaceId, name, created_at: time('Creation time.') }
const secret = Type.String({
  description: 'The token itself. It is shown only now.',
  examples: ['banyan_…'],
})

export const accessOperations = {
  tokenCreate: {
    family: 'token',
    name: 'token.create',
    method: 'POST',
    path: `${basePath}/token/create`,
    access: 'admin',
    summary: 'Make a token',
    details: 'Only the operator may name another workspace.',
    body: Type.Object({
      name,
      role,
      expires_in_days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 3650, description: 'Without it the token does not expire.' }),
      ),
      agent_ids: Type.Optional(
        Type.Array(id('Agent id.', 'agent_x'), {
          maxItems: 1000,
          description: 'Needed for a runner, and only there.',
        }),
      ),
      workspace_id: Type.Optional(workspaceId),
    }),
    creates: true,
    data: Type.Object({ ...tokenRecord, workspace_id: workspaceId, token: secret }),
    example: { name: 'My program', role: 'editor', expires_in_days: 90 },
  },
  tokenSelf: {
    family: 'token',
    name: 'token.self',
    method: 'GET',
    path: `${basePath}/token/self`,
    access: 'token',
    summary: 'Who the token that calls is',
    data: Type.Object({
      id: tokenId,
      name,
      role,
      agent_ids: tokenRecord.agent_ids,
      expires_at: tokenRecord.expires_at,
      workspace_id: workspaceId,
      workspace_name: Type.String({ description: 'Name of its workspace.', examples: ['Team tea'] }),
      is_operator: Type.Boolean({ description: 'Whether it may also manage workspaces.', examples: [false] }),
    }),
  },
  tokenList: {
    family: 'token',
    name: 'token.list',
    method: 'POST',
    path: `${basePath}/token/list`,
    access: 'admin',
    summary: 'List the tokens of the workspace, without their secrets',
    body: Type.Object({ ...pagingFields }),
    data: pageOf(Type.Object(tokenRecord)),
    example: {},
  },
  tokenDelete: {
    family: 'token',
    name: 'token.delete',
    method: 'POST',
    path: `${basePath}/token/delete`,
    access: 'admin',
    summary: 'Revoke a token at once',
    body: Type.Object({ id: tokenId }),
    data: Type.Object({}),
    example: { id: 'tok_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  workspaceCreate: {
    family: 'workspace',
    name: 'workspace.create',
    method: 'POST',
    path: `${basePath}/workspace/create`,
    access: 'operator',
    summary: 'Make a workspace with its first admin token',
    body: Type.Object({ name }),
    creates: true,
    data: Type.Object({ ...workspaceRecord, token: secret }),
    example: { name: 'Team tea' },
  },
  workspaceList: {
    family: 'workspace',
    name: 'workspace.list',
    method: 'POST',
    path: `${basePath}/workspace/list`,
    access: 'operator',
    summary: 'List workspaces',
    body: Type.Object({ ...pagingFields }),
    data: pageOf(Type.Object(workspaceRecord)),
    example: {},
  },
  workspaceDelete: {
    family: 'workspace',
    name: 'workspace.delete',
    method: 'POST',
    path: `${basePath}/workspace/delete`,
    access: 'operator',
    summary: 'Delete a workspace with everything in it',
    details: 'Its tokens stop working at once; what it stored is then removed in the background.',
    body: Type.Object({ id: workspaceId }),
    data: Type.Object({}),
    example: { id: 'ws_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
} as const satisfies Record<string, Operation>
