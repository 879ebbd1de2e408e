import { isAllowed } from '../../access/permissions.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import {
  toolOperations as operations,
  sharedToolRecord,
  toolSettings,
} from '../../contract/tool-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { mintId } from '../../kernel/ids.ts'
import type { SecretService } from '../../secrets/secret-service.ts'
import type { SharedToolService } from '../../shared-tools/shared-tool-service.ts'
import type { SharedTool } from '../../shared-tools/shared-tool-store.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolServers } from '../../tools/tool-server.ts'
import { maskCredentials } from '../../workflow/credentials.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'

const inspectMilliseconds = 20_000
const reference = /\{\{#secret\.([^#{}]+)#\}\}/g

const settingsIn = wireReader(toolSettings)
const recordOnWire = wireWriter(sharedToolRecord)
/** What a tool has whose author left it out. */
const unset = {
  ...{ description: '', method: 'GET', headers: {}, oauth: null, places: {}, tools: [] },
  parameters: { type: 'object', properties: {} },
}

/** A header that may hold a credential is shown only to those who may change it. */
function onWire({ settings, ...tool }: SharedTool, token: Call['token']) {
  const { url, headers, oauth, ...others } = { ...unset, url: '', ...settings }
  const sent = { url, headers, oauth }
  const shown = isAllowed(token, 'write') ? sent : maskCredentials(sent)
  return recordOnWire({ ...others, ...shown, ...tool })
}

export function toolRoutes(
  toolServers: ToolServers,
  secrets: SecretService,
  tools: SharedToolService,
): Route[] {
  /** The settings with the values of the secrets that they refer to. */
  async function withSecrets<Settings>(workspaceId: string, settings: Settings): Promise<Settings> {
    const json = JSON.stringify(settings)
    const names = [...new Set([...json.matchAll(reference)].map(([, name]) => name!.trim()))]
    if (names.length === 0) return settings
    const opened = await secrets.openMany(workspaceId, names)
    const secretValue = (name: string): string => {
      const secret = opened.get(name) ?? { problem: `There is no secret named ${name}` }
      if ('problem' in secret) throw new AppError('step_failed', secret.problem)
      return secret.value
    }
    const filled = json.replace(reference, (_, name: string) =>
      JSON.stringify(secretValue(name.trim())).slice(1, -1),
    )
    return JSON.parse(filled) as Settings
  }

  return [
    route(operations.inspect, async ({ workspaceId, body }) => {
      const { url, headers = {}, oauth } = await withSecrets(workspaceId, body)
      const credentials = oauth && {
        clientId: oauth.client_id,
        clientSecret: oauth.client_secret,
        issuer: oauth.issuer,
        ...(oauth.scope && { scope: oauth.scope }),
      }
      const server = { url, headers, oauth: credentials, workspaceId, conversationId: mintId('run') }
      const signal = AbortSignal.timeout(inspectMilliseconds)
      try {
        const { protocolVersion, ...info } = await toolServers.inspect(server, signal)
        return { ...info, protocol_version: protocolVersion }
      } catch (error) {
        if (signal.aborted) throw new AppError('step_failed', 'The server did not respond within 20 seconds')
        if (!(error instanceof ToolFailure)) throw error
        throw new AppError('step_failed', error.message)
      }
    }),

    route(operations.create, async ({ workspaceId, token, body }) => {
      const { name, type } = body
      return onWire(
        await tools.create(workspaceId, { name, type, settings: settingsIn(body) }, token.name),
        token,
      )
    }),

    route(operations.update, async ({ workspaceId, token, body }) => {
      const { id, name } = body
      const change = { ...(name !== undefined && { name }), settings: settingsIn(body) }
      return onWire(await tools.update(workspaceId, id, change, token.name), token)
    }),

    route(operations.get, async ({ workspaceId, token, body }) =>
      onWire(await tools.get(workspaceId, body.id), token),
    ),

    route(operations.list, ({ workspaceId, token, body }) => {
      const list = (page: PageRequest) => tools.list(workspaceId, body.keyword ?? '', page)
      return pageAnswer(body, list, tool => onWire(tool, token))
    }),

    route(operations.usedBy, async ({ workspaceId, query }) => ({
      items: await tools.usedBy(workspaceId, query.id),
    })),

    route(operations.delete, async ({ workspaceId, body: { id, force } }) => {
      if (!force) await tools.refuseUsed(workspaceId, id)
      await tools.remove(workspaceId, id)
    }),
  ]
}
