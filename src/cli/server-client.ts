import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEgress } from '../adapters/egress/create-egress.ts'
import {
  EgressFailure,
  type EgressRequest,
  type EgressResponse,
  readText,
} from '../adapters/egress/egress.ts'
import { secretForm } from '../app/stored-secret.ts'
import type { Config } from '../config/config.ts'
import type { Finding } from '../contract/finding.ts'
import type { Page } from '../contract/paging.ts'
import { unlessAbsent } from '../kernel/durable-files.ts'
import { type Arguments, allItems, type Command, exactJson, type Outcome, UsageError } from './command.ts'

const anyAddress = new Set(['0.0.0.0', '::', ''])

/** The address of the server with these settings, seen from this machine. */
function ownAddress({ host, port }: Config): string {
  if (port === 0) throw new UsageError('--server: is required where PORT is 0.')
  const name = anyAddress.has(host) ? '127.0.0.1' : host
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** Without a trailing slash. */
export function serverAddress(given: string | undefined, config: Config): string {
  const url = URL.parse(given ?? ownAddress(config))
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError('--server: must be an address such as http://127.0.0.1:8080.')
  return url.href.replace(/\/+$/, '')
}

/** Whether the address is on this machine, or that of the settings. */
function isOwnServer(server: string, config: Config): boolean {
  const { hostname } = new URL(server)
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname) || hostname === config.host
  )
}

/** The server rejected the call; the message is its own. */
export class ServerRefusal extends Error {
  readonly reason: string
  readonly errors: readonly Finding[]

  constructor({ reason = '', errors = [] }: RefusalDetails, message: string) {
    super(message)
    this.reason = reason
    this.errors = errors
  }
}

interface RefusalDetails {
  reason?: string
  errors?: Finding[]
}

/** Responses of conversations are flat: `msg`, and the fields beside it. */
interface Envelope extends RefusalDetails {
  code?: number
  message?: string
  msg?: string
  data?: RefusalDetails
}

interface Operation {
  method: string
  path: string
}

interface CallOptions {
  query?: Record<string, string>
  json?: unknown
  bytes?: Uint8Array
  maxAttempts?: number
  /** How long the server may take to respond; a minute by default. */
  milliseconds?: number
}

const responseMilliseconds = 60_000
const maxBytes = 64 << 20
const slowestBytesPerMillisecond = 32
const transientStatuses = new Set([429, 502, 503, 504])

/** A client of the HTTP API of a running server, here or elsewhere. */
export class ServerClient {
  readonly #egress = createEgress({ allow: [] })
  readonly server: string
  readonly #token: string
  readonly #signal: AbortSignal

  readonly #maxAttempts: number

  /** All calls fail with the reason of the signal. By default a server that restarts is back in time. */
  constructor(server: string, token: string, signal: AbortSignal, maxAttempts = 6) {
    this.server = server
    this.#maxAttempts = maxAttempts
    this.#token = token
    this.#signal = signal
  }

  /** `data` of the response. Retries while the server is busy, restarts or cannot be reached. */
  async call<Data>({ method, path }: Operation, options: CallOptions = {}): Promise<Data> {
    const { query, maxAttempts = this.#maxAttempts } = options
    const url = `${this.server}${path}${query ? `?${new URLSearchParams(query)}` : ''}`
    const request = this.#request(method, options)
    for (let attempt = 1; ; attempt++) {
      const response = await this.#attempt(url, request, attempt === maxAttempts)
      if (response) return (await dataOf(response)) as Data
      await this.pause(500 * 2 ** (attempt - 1))
    }
  }

  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal }).catch(() => {
      throw this.#signal.reason
    })
  }

  close(): void {
    this.#egress.close()
  }

  /** Undefined where a retry may help. */
  async #attempt(url: string, request: EgressRequest, isLast: boolean): Promise<EgressResponse | undefined> {
    try {
      const response = await this.#egress.request(url, request)
      if (isLast || !transientStatuses.has(response.status)) return response
      response.body.destroy()
      return undefined
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error
      const isTransient = error.kind === 'unreachable' || error.kind === 'timed_out'
      if (isTransient && !isLast) return undefined
      throw new Error(
        `The server ${this.server} does not respond: ${error.message}. Start it with npm start, or choose another one with --server.`,
      )
    }
  }

  #request(method: string, { json, bytes, milliseconds: given }: CallOptions): EgressRequest {
    // The idle timeout starts with the connection, so it has to include the upload of the body.
    const sending = Math.ceil((bytes?.length ?? 0) / slowestBytesPerMillisecond)
    const milliseconds = (given ?? responseMilliseconds) + sending
    return {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': bytes ? 'application/octet-stream' : 'application/json',
        // With the key, a call that is repeated because its response was lost creates nothing twice.
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      body: bytes ?? (json === undefined ? undefined : JSON.stringify(json)),
      signal: this.#signal,
      timeouts: { idleMilliseconds: milliseconds, totalMilliseconds: milliseconds },
      maxBytes,
      trusted: true,
    }
  }
}

async function dataOf(response: EgressResponse): Promise<unknown> {
  const { host } = new URL(response.url)
  const envelope = exactJson(await readText(response)) as Envelope | null | undefined
  if (typeof envelope?.code !== 'number')
    throw new Error(`The server at ${host} is not a Banyan server (status ${response.status})`)
  const { code, msg, ...flat } = envelope
  if (code === 0) return envelope.data ?? flat
  const message = envelope.message ?? msg ?? `${host} rejected the call`
  throw new ServerRefusal(envelope.data ?? envelope, message)
}

export const bootstrapTokenPath = (dataDir: string): string => join(dataDir, 'bootstrap-token')

export const readBootstrapToken = (dataDir: string): Promise<Buffer | undefined> =>
  unlessAbsent(readFile(bootstrapTokenPath(dataDir)))

/** Replaces the existing one: after a restore its token is unknown. */
export async function writeBootstrapToken(dataDir: string, token: Uint8Array): Promise<void> {
  const partial = `${bootstrapTokenPath(dataDir)}.partial`
  await writeFile(partial, token, { mode: 0o600, flush: true })
  await rename(partial, bootstrapTokenPath(dataDir))
}

function checked(content: Buffer, path: string): string {
  const token = content.toString().trim()
  if (!secretForm.test(token))
    throw new Error(`${path} does not contain a token: one line of 16 to 512 characters`)
  return token
}

/** From a file or the environment, never from an argument, which every user of the machine can list. */
export async function serverToken(tokenFile: string | undefined, server: string, config: Config) {
  if (tokenFile !== undefined) {
    const content = await readFile(tokenFile).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The token file ${tokenFile} cannot be read (${error.code})`)
    })
    return checked(content, tokenFile)
  }
  if (config.bootstrapToken !== undefined) return config.bootstrapToken
  if (!isOwnServer(server, config))
    // The token in this folder belongs to the server of this folder; another server must not see it.
    throw new Error(`Pass a file with a token of ${server} as --token-file, or set BOOTSTRAP_TOKEN`)
  const path = bootstrapTokenPath(config.dataDir)
  const found = await readBootstrapToken(config.dataDir)
  if (found) return checked(found, path)
  throw new Error(
    `There is no token: ${path} does not exist. Pass a file with a token as --token-file, or set BOOTSTRAP_TOKEN`,
  )
}

export interface RemotePage<Item> {
  total: number
  total_capped: boolean
  next_cursor: string | null
  items: Item[]
}

export const pageFrom = <Item>({
  total,
  total_capped,
  next_cursor,
  items,
}: RemotePage<Item>): Page<Item> => ({
  ...{ total, items },
  ...(total_capped && { isCapped: true as const }),
  ...(next_cursor !== null && { nextCursor: next_cursor }),
})

/** All items of a list of the server. Fails at once when the server does not respond. */
export const listAll = <Item>(
  client: ServerClient,
  list: { method: string; path: string },
  filter: Record<string, unknown>,
): Promise<Item[]> =>
  allItems(async ({ pageSize, cursor }) => {
    const json = { ...filter, page_size: pageSize, ...(cursor !== undefined && { cursor }) }
    return pageFrom(await client.call<RemotePage<Item>>(list, { json, maxAttempts: 1 }))
  })

const details = `Calls a running server over HTTP, on this machine or elsewhere. --server is its address, by default the one of HOST and
PORT. The token comes from --token-file, from BOOTSTRAP_TOKEN or, for a server on this machine, from
DATA_DIR/bootstrap-token.`

/** Enough for a moment of load; a server that does not run is reported within two seconds. */
const commandAttempts = 3

interface ServerCommand extends Omit<Command, 'run'> {
  work(client: ServerClient, given: Arguments, signal: AbortSignal): Promise<Outcome>
}

export const serverCommand = ({ work, ...command }: ServerCommand): Command => ({
  ...command,
  usage: `${command.usage} [--server URL] [--token-file FILE]`.trim(),
  details: command.details === undefined ? details : `${command.details}\n\n${details}`,
  run: async (given, config, signal) => {
    const server = serverAddress(given.options['server'], config)
    const token = await serverToken(given.options['token-file'], server, config)
    const client = new ServerClient(server, token, signal, commandAttempts)
    try {
      return await work(client, given, signal)
    } catch (error) {
      throw explained(error)
    } finally {
      client.close()
    }
  },
})

const tokenReasons = new Set(['token_missing', 'token_invalid', 'forbidden'])
const maxFindings = 20

/** Adds advice to an error of the server. */
export function explained(error: unknown): unknown {
  if (!(error instanceof ServerRefusal)) return error
  if (tokenReasons.has(error.reason))
    return new Error(`${error.message}. Pass a file with another token as --token-file.`)
  if (error.errors.length === 0) return error
  const shown = error.errors.slice(0, maxFindings).map(({ path, message }) => `  ${path}: ${message}`)
  return new Error([error.message, ...shown].join('\n'))
}
