import { defaultWorkspaceId } from '../access/access-service.ts'
import type { TokenRecord } from '../access/access-store.ts'
import { accessOperations } from '../contract/access-operations.ts'
import { isoTime } from '../kernel/clock.ts'
import { checkArguments, inOurWords } from './check-arguments.ts'
import { columns } from './columns.ts'
import type { Command } from './command.ts'
import { everyPage } from './every-page.ts'
import { withAccess } from './with-access.ts'

const workspace = { workspace: { type: 'string' } } as const

const inJson = (token: TokenRecord) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  operator: token.operator,
  workspace_id: token.workspaceId,
  agent_ids: token.agentIds,
  created_at: isoTime(token.createdAt),
  expires_at: token.expiresAt === undefined ? null : isoTime(token.expiresAt),
})

const day = (time: number): string => isoTime(time).slice(0, 10)

const optionNames = {
  name: '--name',
  role: '--role',
  expires_in_days: '--days',
  agent_ids: '--agents',
  workspace_id: '--workspace',
}

const create: Command = {
  name: 'token create',
  summary: 'Make a token and print it, once.',
  details: `Roles: admin (everything), editor (everything but tokens), viewer (reads and searches),
runner (talks to the agents named with --agents). Without --days it does not expire;
without --workspace it belongs to the workspace ${defaultWorkspaceId}, which the first start of the server makes.`,
  usage: '--name NAME --role ROLE [--workspace ID] [--days N] [--agents ID,ID]',
  example: "token create --name 'Build robot' --role editor --days 90",
  positionals: [],
  options: {
    name: { type: 'string' },
    role: { type: 'string' },
    days: { type: 'string' },
    agents: { type: 'string' },
    ...workspace,
  },
  run: async ({ options }, config) => {
    const { days, agents } = options
    const wanted = checkArguments(
      accessOperations.tokenCreate.body,
      {
        name: options['name'],
        role: options['role'],
        expires_in_days: typeof days === 'string' && /^\d+$/.test(days) ? Number(days) : days,
        agent_ids: typeof agents === 'string' ? agents.split(',') : undefined,
        workspace_id: options['workspace'],
      },
      optionNames,
    )
    const token = await withAccess(config, access =>
      access.createToken({
        workspaceId: wanted.workspace_id ?? defaultWorkspaceId,
        name: wanted.name,
        role: wanted.role,
        expiresInDays: wanted.expires_in_days,
        agentIds: wanted.agent_ids,
      }),
    ).catch((error: unknown) => {
      throw inOurWords(error, optionNames)
    })
    const ends = token.expiresAt === undefined ? 'It does not expire.' : `It ends on ${day(token.expiresAt)}.`
    return {
      text: `${token.secret}\n\nThis is the only time it is shown. ${ends}\nTo take it back: token delete ${token.id}${inOther(token.workspaceId)}`,
      json: { ...inJson(token), token: token.secret },
    }
  },
}

const inOther = (workspaceId: string): string =>
  workspaceId === defaultWorkspaceId ? '' : ` --workspace ${workspaceId}`

const list: Command = {
  name: 'token list',
  summary: 'List the tokens of a workspace, without their secrets.',
  usage: '[--workspace ID]',
  example: 'token list',
  positionals: [],
  options: workspace,
  run: async ({ options }, config) => {
    const workspaceId = String(options['workspace'] ?? defaultWorkspaceId)
    const tokens = await withAccess(config, access =>
      everyPage(page => access.store.listTokens(workspaceId, page)),
    )
    const rows = tokens.map(token => [
      token.id,
      token.operator ? 'operator' : token.role,
      day(token.createdAt),
      token.expiresAt === undefined ? 'never' : day(token.expiresAt),
      token.name,
    ])
    return {
      text:
        rows.length === 0
          ? `The workspace ${workspaceId} has no tokens.`
          : columns(['ID', 'ROLE', 'MADE', 'ENDS', 'NAME'], rows),
      json: { items: tokens.map(inJson) },
    }
  },
}

const remove: Command = {
  name: 'token delete',
  summary: 'Take a token back; it stops working at once.',
  usage: 'ID [--workspace ID]',
  example: 'token delete tok_Zk3xV0m2q1c5b7n9d1f3gA',
  positionals: ['ID'],
  options: workspace,
  run: async ({ positionals, options }, config) => {
    const id = positionals['ID']!
    await withAccess(config, access =>
      access.deleteToken(String(options['workspace'] ?? defaultWorkspaceId), id),
    )
    return { text: `Deleted the token ${id}. It no longer works.`, json: { deleted: id } }
  },
}

export const tokenCommands = [create, list, remove]
