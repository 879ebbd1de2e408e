import type { Workspace } from '../access/access-store.ts'
import { accessOperations } from '../contract/access-operations.ts'
import { isoTime } from '../kernel/clock.ts'
import { checkArguments } from './check-arguments.ts'
import { columns } from './columns.ts'
import type { Command } from './command.ts'
import { everyPage } from './every-page.ts'
import { UsageError } from './usage-error.ts'
import { withAccess } from './with-access.ts'

const inJson = ({ id, name, createdAt }: Workspace) => ({ id, name, created_at: isoTime(createdAt) })

const create: Command = {
  name: 'workspace create',
  summary: 'Make a workspace and print its first admin token, once.',
  usage: 'NAME',
  example: "workspace create 'Team tea'",
  positionals: ['NAME'],
  options: {},
  run: async ({ positionals }, config) => {
    const { name } = checkArguments(
      accessOperations.workspaceCreate.body,
      { name: positionals['NAME'] },
      { name: 'NAME' },
    )
    const made = await withAccess(config, access => access.createWorkspace(name))
    return {
      text: `Made the workspace ${made.id}. Its first admin token:\n\n${made.secret}\n\nThis is the only time it is shown.`,
      json: { ...inJson(made), token: made.secret },
    }
  },
}

const list: Command = {
  name: 'workspace list',
  summary: 'List the workspaces.',
  usage: '',
  example: 'workspace list',
  positionals: [],
  options: {},
  run: async (_given, config) => {
    const workspaces = await withAccess(config, access =>
      everyPage(page => access.store.listWorkspaces(page)),
    )
    const rows = workspaces.map(({ id, name, createdAt }) => [id, isoTime(createdAt).slice(0, 10), name])
    return {
      text:
        rows.length === 0
          ? 'There is no workspace yet; the first start of the server makes one.'
          : columns(['ID', 'MADE', 'NAME'], rows),
      json: { items: workspaces.map(inJson) },
    }
  },
}

const remove: Command = {
  name: 'workspace delete',
  summary: 'Delete a workspace with everything in it.',
  usage: 'ID --yes',
  example: 'workspace delete ws_Zk3xV0m2q1c5b7n9d1f3gA --yes',
  positionals: ['ID'],
  options: { yes: { type: 'boolean' } },
  run: async ({ positionals, options }, config) => {
    const id = positionals['ID']!
    if (!options['yes'])
      throw new UsageError(
        `This deletes everything in the workspace ${id} for good: add --yes if that is what you want.`,
      )
    await withAccess(config, access => access.deleteWorkspace(id))
    return {
      text: `Deleted the workspace ${id}. Its tokens no longer work; what it stored is removed while the server runs.`,
      json: { deleted: id },
    }
  },
}

export const workspaceCommands = [create, list, remove]
