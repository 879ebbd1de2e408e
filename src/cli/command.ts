import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Static, TSchema } from 'typebox'
import { AccessService } from '../access/access-service.ts'
import type { Adapters } from '../app/adapters.ts'
import type { Stores } from '../app/stores.ts'
import { AuditLog } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Finding } from '../contract/finding.ts'
import type { Operation } from '../contract/operation.ts'
import { everyItem, type Page, type PageRequest } from '../contract/paging.ts'
import { compileBody, findingsOf } from '../http/validation.ts'
import { AppError } from '../kernel/app-error.ts'
import { parseExact } from '../kernel/exact-json.ts'
import { isRecord } from '../kernel/is-record.ts'

export interface Arguments {
  /** The word in capitals at the beginning of `usage`; empty for a command without one. */
  argument: string
  options: Record<string, string | undefined>
  /** Options without a value. */
  flags: ReadonlySet<string>
}

/** The output of a command, for people and for programs. */
export interface Outcome {
  text: string
  json: Record<string, unknown>
  /** Set if the command ended with a problem: a sentence for stderr; the exit code is 1. */
  problem?: string | undefined
}

export interface Command {
  /** One or two words. */
  name: string
  summary: string
  details?: string
  /** The rest of the command, as `help` shows it and as it is parsed: `ARGUMENT --option VALUE [--flag]`. */
  usage: string
  example: string
  /** If it does not end, nothing has changed. */
  isAllOrNothing?: true
  run(given: Arguments, config: Config, signal: AbortSignal): Promise<Outcome>
}

/** Wrong use of the command line; the message says what is expected. */
export class UsageError extends Error {}

/** Validates arguments by the schema of the HTTP operation; `names` maps its fields to arguments. */
export function checkArguments<Schema extends TSchema>(
  schema: Schema,
  value: Record<string, unknown>,
  names: Record<string, string>,
): Static<Schema> {
  const given = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
  const check = compileBody(schema)
  if (check(given)) return given as Static<Schema>
  throw invalidArgument(findingsOf(check.errors ?? []), names)
}

function invalidArgument([finding]: Finding[], names: Record<string, string>): UsageError {
  const field = finding?.path.split('/')[1] ?? ''
  return new UsageError(`${names[field] ?? field}: ${finding?.message ?? 'is invalid'}.`)
}

/** An invalid request to a service is wrong use of the command line too. */
export const asUsageError = (error: unknown, names: Record<string, string>): unknown =>
  error instanceof AppError && error.reason === 'invalid_request'
    ? invalidArgument(error.errors, names)
    : error

interface StorageOptions {
  /** Assigns the stored files to this database. */
  adopt?: boolean
  /** The folder may be empty: the command fills it. */
  fills?: boolean
}

/** Refuses a missing folder: a wrong DATA_DIR must not become a new installation, whose tokens no server knows. */
function refuseMissing({ dataDir, databaseUrl, blobUrl }: Config, { fills = false }: StorageOptions): void {
  if (databaseUrl !== undefined && blobUrl !== undefined) return
  if (!existsSync(dataDir))
    throw new Error(
      `DATA_DIR ${dataDir} does not exist. Set it to the folder of the server${fills ? ', or create the folder' : ''}.`,
    )
  if (databaseUrl !== undefined || fills || existsSync(join(dataDir, 'banyan.db'))) return
  throw new Error(
    `DATA_DIR ${dataDir} has no database (banyan.db). Set it to the folder of the server; the first start of the server creates the database.`,
  )
}

/** Works on the stored data directly, whether a server is running or not; a running one sees changes at once. */
export async function withAdapters<Result>(
  config: Config,
  work: (adapters: Adapters) => Promise<Result>,
  options: StorageOptions = {},
): Promise<Result> {
  refuseMissing(config, options)
  // Commands that need no adapters start in half the time without them.
  const { openAdapters } = await import('../app/adapters.ts')
  const { adopt = false } = options
  const adapters = await openAdapters({ ...config, logLevel: 'warn' }, { adopt, logTo: 2 })
  try {
    return await work(adapters)
  } finally {
    await adapters.close()
  }
}

export const withAccess = <Result>(config: Config, work: (access: AccessService) => Promise<Result>) =>
  withAdapters(config, ({ stores, clock, database }) =>
    work(new AccessService(stores.access, clock, () => database.generation())),
  )

/** Fails if the workspace does not exist, because its lists would only look empty. */
export async function refuseUnknown({ access }: Stores, workspaceId: string): Promise<void> {
  if (await access.findWorkspace(workspaceId)) return
  throw new Error(`The workspace ${workspaceId} does not exist; "workspace list" lists the workspaces`)
}

/** Like `withAccess`, for a change, which the audit log of the workspace records like one by the API. */
export const changeAccess = <Result>(
  config: Config,
  { operation, workspaceId, body }: { operation: Operation; workspaceId: string; body: object },
  work: (access: AccessService, stores: Stores) => Promise<Result>,
): Promise<Result> =>
  withAdapters(config, ({ stores, clock, database }) => {
    const actor = { workspaceId, id: '', name: 'command line', role: 'operator', traceId: '', address: '' }
    const access = new AccessService(stores.access, clock, () => database.generation())
    return new AuditLog(stores.audit, database, clock).record(operation, actor, { body }, () =>
      work(access, stores),
    )
  })

export async function allItems<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of everyItem(list)) items.push(item)
  return items
}

/** A table with aligned columns, or the sentence for an empty one. */
export function columns(titles: string[], rows: string[][], ifEmpty = ''): string {
  if (rows.length === 0 && ifEmpty) return ifEmpty
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map(row => row[column]!.length)),
  )
  return [titles, ...rows]
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The file ${path} cannot be read (${error.code}).`)
  })
}

/** Undefined if the text is not JSON. Numbers keep all their digits. */
export function exactJson(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

export async function readObject(path: string): Promise<Record<string, unknown>> {
  const value = exactJson(await readText(path))
  if (!isRecord(value)) throw new UsageError(`The file ${path} does not contain a JSON object.`)
  return value
}

/** An exported workflow, or a graph alone. */
export interface WorkflowDocument {
  name?: string
  workflow: unknown
}

/** The workflow in a file; a text in another format is left to the server. */
export async function readWorkflow(path: string): Promise<WorkflowDocument | { content: string }> {
  const content = await readText(path)
  const value = exactJson(content)
  // An app of Dify has a member `workflow`, too.
  if (!isRecord(value) || isRecord(value['app'])) return { content }
  if (Array.isArray(value['nodes'])) return { workflow: value }
  const { name, workflow } = value
  return workflow === undefined ? { content } : { ...(typeof name === 'string' && { name }), workflow }
}

export function sizeText(bytes: number): string {
  if (bytes < 10 << 10) return `${bytes} bytes`
  if (bytes < 10 << 20) return `${(bytes / 1024).toFixed(0)} KiB`
  return `${(bytes / (1 << 20)).toFixed(0)} MiB`
}
