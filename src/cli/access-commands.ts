import { type AccessService, defaultWorkspaceId } from '../access/access-service.ts'
import type { TokenRecord } from '../access/access-store.ts'
import { tokenOperations, workspaceOperations } from '../contract/access-operations.ts'
import {
  readLimits,
  tokenOnWire,
  workspaceOnWire,
  workspaceWithLimits,
} from '../http/routes/access-routes.ts'
import { isoTime } from '../kernel/clock.ts'
import {
  type Arguments,
  allItems,
  asUsageError,
  type Command,
  changeAccess,
  checkArguments,
  columns,
  refuseUnknown,
  UsageError,
  withAccess,
  withAdapters,
} from './command.ts'

const tokenJson = (token: TokenRecord) => ({
  ...tokenOnWire(token),
  operator: token.operator,
  workspace_id: token.workspaceId,
})

const workspaceOf = ({ options }: Arguments): string => options['workspace'] ?? defaultWorkspaceId

const day = (time: number): string => isoTime(time).slice(0, 10)

const optionNames = {
  name: '--name',
  role: '--role',
  expires_in_days: '--days',
  agent_ids: '--agents',
  user_id: '--user',
  workspace_id: '--workspace',
}

const createToken: Command = {
  name: 'token create',
  summary: 'Create a token. It is printed only once.',
  details: `Roles: admin (everything), editor (everything except tokens), viewer (read and search), runner (chat with the
agents given by --agents; with --user, only for that user of your application). Without --days, the token does not expire.
Without --workspace, it belongs to the workspace ${defaultWorkspaceId}, which the first start of the server creates.`,
  usage: '--name NAME --role ROLE [--workspace ID] [--days N] [--agents ID,ID] [--user ID]',
  example: "token create --name 'Build robot' --role editor --days 90",
  run: async ({ options: { name, role, days, agents, user, workspace } }, config) => {
    const checked = checkArguments(
      tokenOperations.create.body,
      {
        name,
        role,
        expires_in_days: days && /^\d+$/.test(days) ? Number(days) : days,
        agent_ids: agents?.split(','),
        user_id: user,
        workspace_id: workspace,
      },
      optionNames,
    )
    const workspaceId = checked.workspace_id ?? defaultWorkspaceId
    const change = { operation: tokenOperations.create, workspaceId, body: checked }
    const token = await changeAccess(config, change, async (access, { agents: known }) => {
      const agentIds = checked.agent_ids
      const found = await known.findMany(workspaceId, agentIds ?? [])
      const missing = agentIds?.find(id => !found.some(agent => agent.id === id))
      if (missing !== undefined)
        throw new UsageError(`--agents: there is no agent ${missing} in the workspace ${workspaceId}.`)
      return access.createToken({
        workspaceId,
        name: checked.name,
        role: checked.role,
        expiresInDays: checked.expires_in_days,
        agentIds,
        userId: checked.user_id,
      })
    }).catch((error: unknown) => {
      throw asUsageError(error, optionNames)
    })
    const expiry =
      token.expiresAt === undefined ? 'It does not expire.' : `It expires on ${day(token.expiresAt)}.`
    const elsewhere = token.workspaceId === defaultWorkspaceId ? '' : ` --workspace ${token.workspaceId}`
    return {
      text: `${token.secret}\n\nThis token is shown only once. ${expiry}\nTo revoke it: token delete ${token.id}${elsewhere}`,
      json: { ...tokenJson(token), token: token.secret },
    }
  },
}

const listTokens: Command = {
  name: 'token list',
  summary: 'List the tokens of a workspace, without their secrets.',
  usage: '[--workspace ID]',
  example: 'token list',
  run: async (given, config) => {
    const workspaceId = workspaceOf(given)
    const tokens = await withAdapters(config, async ({ stores }) => {
      await refuseUnknown(stores, workspaceId)
      return allItems(page => stores.access.listTokens(workspaceId, page))
    })
    const rows = tokens.map(token => [
      token.id,
      token.operator ? 'operator' : token.role,
      day(token.createdAt),
      token.expiresAt === undefined ? 'never' : day(token.expiresAt),
      token.name,
    ])
    return {
      text: columns(
        ['ID', 'ROLE', 'CREATED', 'EXPIRES', 'NAME'],
        rows,
        `The workspace ${workspaceId} has no tokens.`,
      ),
      json: { items: tokens.map(tokenJson) },
    }
  },
}

const deleteToken: Command = {
  name: 'token delete',
  summary: 'Revoke a token; it stops working immediately.',
  usage: 'ID [--workspace ID]',
  example: 'token delete tok_Zk3xV0m2q1c5b7n9d1f3gA',
  run: async (given, config) => {
    const id = given.argument
    const change = { operation: tokenOperations.delete, workspaceId: workspaceOf(given), body: { id } }
    await changeAccess(config, change, access => access.deleteToken(change.workspaceId, id))
    return { text: `Revoked the token ${id}. It no longer works.`, json: { deleted: id } }
  },
}

const createWorkspace: Command = {
  name: 'workspace create',
  summary: 'Create a workspace and its first admin token, which is printed only once.',
  usage: 'NAME',
  example: "workspace create 'Team tea'",
  run: async ({ argument }, config) => {
    const { name } = checkArguments(workspaceOperations.create.body, { name: argument }, { name: 'NAME' })
    const change = { operation: workspaceOperations.create, workspaceId: defaultWorkspaceId, body: { name } }
    const created = await changeAccess(config, change, access => access.createWorkspace(name))
    return {
      text: `Created the workspace ${created.id}. Its first admin token:\n\n${created.secret}\n\nThis token is shown only once.`,
      json: { ...workspaceOnWire(created), token: created.secret },
    }
  },
}

const listWorkspaces: Command = {
  name: 'workspace list',
  summary: 'List the workspaces.',
  usage: '',
  example: 'workspace list',
  run: async (_given, config) => {
    const workspaces = await withAccess(config, access => allItems(page => access.store.listWorkspaces(page)))
    const rows = workspaces.map(({ id, name, createdAt }) => [id, day(createdAt), name])
    return {
      text: columns(
        ['ID', 'CREATED', 'NAME'],
        rows,
        'There is no workspace yet; the first start of the server creates one.',
      ),
      json: { items: workspaces.map(workspaceOnWire) },
    }
  },
}

const limitOptions = {
  calls_per_minute: '--calls',
  concurrent_runs: '--runs',
  storage_bytes: '--bytes',
  documents: '--documents',
  tokens_per_day: '--tokens',
}

const limitWorkspace: Command = {
  name: 'workspace limit',
  summary: 'Set limits of a workspace.',
  details: `Calls per minute, runs at a time, stored bytes, documents, and model tokens per day. 0 means unlimited; "default"
restores the server setting. Without options, the current limits are shown.`,
  usage: 'ID [--calls N] [--runs N] [--bytes N] [--documents N] [--tokens N]',
  example: 'workspace limit ws_Zk3xV0m2q1c5b7n9d1f3gA --bytes 10000000000 --tokens default',
  run: async ({ argument: id, options }, config) => {
    const given = Object.entries(limitOptions).flatMap(([name, option]) => {
      const value = options[option.slice('--'.length)]
      if (value === undefined) return []
      return [[name, value === 'default' ? null : /^\d+$/.test(value) ? Number(value) : value]]
    })
    const schema = workspaceOperations.update.body.properties.limits
    const limits = checkArguments(schema, Object.fromEntries(given), limitOptions)
    const set = (access: AccessService) => access.setLimits(id, readLimits(limits))
    const change = { operation: workspaceOperations.update, workspaceId: defaultWorkspaceId }
    const workspace =
      given.length === 0
        ? await withAccess(config, set)
        : await changeAccess(config, { ...change, body: { id, limits } }, set)
    const json = workspaceWithLimits(workspace)
    const rows = Object.entries(json.limits).map(([name, value]) => [
      name,
      value === null ? 'server setting' : value === 0 ? 'unlimited' : String(value),
    ])
    return { text: columns(['LIMIT', 'VALUE'], rows), json }
  },
}

const deleteWorkspace: Command = {
  name: 'workspace delete',
  summary: 'Delete a workspace with everything in it.',
  usage: 'ID --yes',
  example: 'workspace delete ws_Zk3xV0m2q1c5b7n9d1f3gA --yes',
  run: async ({ argument: id, flags }, config) => {
    if (!flags.has('yes'))
      throw new UsageError(
        `This permanently deletes everything in the workspace ${id}: add --yes to confirm.`,
      )
    const change = { operation: workspaceOperations.delete, workspaceId: defaultWorkspaceId, body: { id } }
    await changeAccess(config, change, access => access.deleteWorkspace(id))
    return {
      text: `Deleted the workspace ${id}. Its tokens no longer work; a running server removes its data in the background.`,
      json: { deleted: id },
    }
  },
}

export const accessCommands = [
  createToken,
  listTokens,
  deleteToken,
  createWorkspace,
  listWorkspaces,
  limitWorkspace,
  deleteWorkspace,
]
