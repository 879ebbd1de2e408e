import type { Static } from 'typebox'
import { limits } from '../contract/limits.ts'
import type { toolOperations } from '../contract/tool-operations.ts'
import { mintId } from '../kernel/ids.ts'
import { inSlices } from '../kernel/slices.ts'
import type { HttpClient } from '../tools/http-client.ts'
import { httpToolRequest, namesInUrl } from '../tools/http-tool.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import type { ToolServer, ToolServerInfo, ToolServers } from '../tools/tool-server.ts'
import type { JsonRecord } from '../workflow/json-record.ts'
import { type FindSecrets, SecretValues } from '../workflow/run/secret-values.ts'
import { StepFailure } from '../workflow/step.ts'

const tryMilliseconds = 30_000
const inspectMilliseconds = 20_000
const reference = /\{\{#\s*secret\.([^#{}]+?)\s*#\}\}/g

/** The settings of a tool, in the form of a tool of an llm node. */
type TriedTool = Static<typeof toolOperations.try.body> & { type: 'http' | 'mcp'; url: string }
type ServerSettings = Pick<TriedTool, 'url' | 'headers' | 'oauth'>
/** What was sent and what came back, without the values of secrets. */
type Trial = Static<typeof toolOperations.try.data>

interface TrialServices {
  http: HttpClient
  toolServers: ToolServers
  findSecrets: FindSecrets
}

/** Calls a tool, or connects to a server, once and outside of a run. Requests go through the same clients. */
export class ToolTrials {
  readonly #services: TrialServices
  constructor(services: TrialServices) {
    this.#services = services
  }

  /** Fails with a `ToolFailure`. */
  async inspect(workspaceId: string, given: ServerSettings): Promise<ToolServerInfo> {
    const signal = AbortSignal.timeout(inspectMilliseconds)
    const { settings } = await this.#withSecrets(workspaceId, given)
    try {
      return await this.#services.toolServers.inspect(serverOf(workspaceId, settings), signal)
    } catch (error) {
      throw signal.aborted ? noResponse(inspectMilliseconds) : error
    }
  }

  /** `tool` is the name of a tool of an MCP server. */
  async try(workspaceId: string, given: TriedTool, tool: string, args: JsonRecord): Promise<Trial> {
    const started = performance.now()
    const signal = AbortSignal.timeout(tryMilliseconds)
    const trial: LiveTrial = {
      request: { method: '', url: given.url, headers: {}, body: '' },
      answer: { status: null, headers: {}, text: '', truncated: false },
      signal,
    }
    let error: string | null = null
    let secrets: SecretValues | undefined
    try {
      const filled = await this.#withSecrets(workspaceId, given)
      secrets = filled.secrets
      if (given.type === 'http') await this.#call(filled.settings, given.url, args, trial)
      else await this.#callServer(serverOf(workspaceId, filled.settings), tool, args, trial)
    } catch (failure) {
      if (signal.aborted) error = noResponse(tryMilliseconds).message
      else if (failure instanceof ToolFailure) error = failure.message
      else throw failure
    }
    const elapsed = Math.round(performance.now() - started)
    const { request, answer } = trial
    const text = answer.text.slice(0, limits.triedAnswerLength).toWellFormed()
    const shown = { ...answer, text, truncated: text.length < answer.text.length }
    const result = { request, answer: shown, error, elapsed_ms: elapsed }
    return secrets ? inSlices(secrets.mask(result)) : result
  }

  /** Fills in the secrets that the settings refer to; `secrets` masks them afterwards. */
  async #withSecrets<Settings>(
    workspaceId: string,
    given: Settings,
  ): Promise<{ settings: Settings; secrets: SecretValues | undefined }> {
    const json = JSON.stringify(given)
    const names = [...new Set([...json.matchAll(reference)].map(([, name]) => name!))]
    if (names.length === 0) return { settings: given, secrets: undefined }
    const secrets = new SecretValues(await this.#services.findSecrets(workspaceId, names))
    const secretValue = (name: string): string => {
      try {
        return JSON.stringify(secrets.get(name)).slice(1, -1)
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error
        throw new ToolFailure(error.message, { retryable: false })
      }
    }
    const filled = json.replace(reference, (_, name: string) => secretValue(name))
    return { settings: JSON.parse(filled) as Settings, secrets }
  }

  async #call(settings: TriedTool, shownUrl: string, args: JsonRecord, trial: LiveTrial): Promise<void> {
    const { method = 'GET', places = {}, url, parameters } = settings
    const named = Object.entries(settings.headers ?? {})
    const headers = Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value]))
    const inUrl = namesInUrl(shownUrl.replace(reference, ''))
    const sent = httpToolRequest({ method, places, url, headers, parameters }, args, inUrl)
    Object.assign(trial.request, sent)
    const { signal } = trial
    const answer = await this.#services.http.request({
      ...{ ...sent, signal, timeoutMilliseconds: tryMilliseconds },
    })
    const file =
      answer.bytes && `(${answer.bytes.length} bytes, ${answer.headers['content-type'] ?? 'no type'})`
    Object.assign(trial.answer, {
      ...{ status: answer.status, headers: answer.headers, text: answer.text || (file ?? '') },
    })
  }

  async #callServer(
    server: ToolServer,
    tool: string,
    args: JsonRecord,
    { request, answer, signal }: LiveTrial,
  ): Promise<void> {
    const body = JSON.stringify({ name: tool, arguments: args })
    Object.assign(request, { method: 'tools/call', url: server.url, headers: server.headers, body })
    const result = await this.#services.toolServers.call(server, tool, args, { signal })
    const files = result.files.map(({ name, bytes }) => `File ${name} (${bytes.length} bytes)`)
    const structured = result.structured === undefined ? '' : JSON.stringify(result.structured, null, 2)
    answer.text = [result.text || structured, ...files].filter(Boolean).join('\n')
  }
}

interface LiveTrial extends Pick<Trial, 'request' | 'answer'> {
  signal: AbortSignal
}

const noResponse = (milliseconds: number): ToolFailure =>
  new ToolFailure(`The server did not respond within ${milliseconds / 1000} seconds`, { retryable: true })

/** The server, with a session of its own. */
const serverOf = (workspaceId: string, { url, headers = {}, oauth }: ServerSettings): ToolServer => ({
  ...{ url, headers, workspaceId, conversationId: mintId('run') },
  ...(oauth && {
    oauth: {
      ...{ clientId: oauth.client_id, clientSecret: oauth.client_secret, issuer: oauth.issuer },
      ...(oauth.scope && { scope: oauth.scope }),
    },
  }),
})
