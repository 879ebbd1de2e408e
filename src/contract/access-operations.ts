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
  description: 'A name that describes its purpose.',
  examples: ['My application'],
})
const role = Type.Enum([...roles], {
  description:
    'admin: full access; editor: everything except tokens and models; viewer: read and search; runner: chat with the listed agents.',
  examples: ['editor'],
})

const tokenRecord = {
  id: tokenId,
  name,
  role,
  agent_ids: Type.Array(Type.String(), {
    description: 'Agents that a runner may chat with.',
    examples: [[]],
  }),
  created_at: time('Creation time.'),
  expires_at: Type.Union([time('Expiry time.'), Type.Null()], {
    description: 'Expiry time; null if it does not expire.',
  }),
}
const workspaceRecord = { id: workspaceId, name, created_at: time('Creation time.') }
const secret = Type.String({
  description: 'The token itself. It is shown only once.',
  examples: ['banyan_…'],
})

export const accessOperations = {
  tokenCreate: {
    family: 'token',
    name: 'token.create',
    method: 'POST',
    path: `${basePath}/token/create`,
    access: 'admin',
    summary: 'Create a token',
    details: 'Only the operator may create a token for another workspace.',
    body: Type.Object({
      name,
      role,
      expires_in_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3650,
          description: 'Days until the token expires; omitted: it does not expire.',
        }),
      ),
      agent_ids: Type.Optional(
        Type.Array(id('Agent id.', 'agent_x'), {
          maxItems: 1000,
          description: 'Required for the role runner, not allowed for other roles.',
        }),
      ),
      workspace_id: Type.Optional(workspaceId),
    }),
    creates: true,
    data: Type.Object({ ...tokenRecord, workspace_id: workspaceId, token: secret }),
    example: { name: 'My application', role: 'editor', expires_in_days: 90 },
  },
  tokenSelf: {
    family: 'token',
    name: 'token.self',
    method: 'GET',
    path: `${basePath}/token/self`,
    access: 'token',
    summary: 'Describe the calling token',
    data: Type.Object({
      id: tokenId,
      name,
      role,
      agent_ids: tokenRecord.agent_ids,
      expires_at: tokenRecord.expires_at,
      workspace_id: workspaceId,
      workspace_name: Type.String({ description: 'Name of the token’s workspace.', examples: ['Team tea'] }),
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
    summary: 'Revoke a token immediately',
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
    summary: 'Create a workspace with its first admin token',
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
    details: 'Its tokens stop working immediately; its data is then deleted in the background.',
    body: Type.Object({ id: workspaceId }),
    data: Type.Object({}),
    example: { id: 'ws_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
} as const satisfies Record<string, Operation>
