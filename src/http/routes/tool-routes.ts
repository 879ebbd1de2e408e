import { toolOperations as operations } from '../../contract/mcp-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { mintId } from '../../kernel/ids.ts'
import type { SecretService } from '../../secrets/secret-service.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolServers } from '../../tools/tool-server.ts'
import { type Route, route } from '../route.ts'

const inspectMilliseconds = 20_000
const reference = /\{\{#secret\.([^#{}]+)#\}\}/g

export function toolRoutes(toolServers: ToolServers, secrets: SecretService): Route[] {
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
  ]
}
