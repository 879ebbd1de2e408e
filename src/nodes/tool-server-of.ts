import type { ToolAnswer, ToolServer } from '../tools/tool-server.ts'
import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import type { RunFile, Step } from '../workflow/step.ts'
import type { NodeServices } from './node-services.ts'
import { readText } from './read-setting.ts'

/** All calls of a conversation, or of a run without one, use the same session with an MCP server. */
export const toolServerOf = (
  step: Step,
  { url, headers, oauth }: Pick<ToolServer, 'url' | 'headers' | 'oauth'>,
): ToolServer => ({
  url,
  headers,
  ...(oauth && { oauth }),
  workspaceId: step.workspaceId,
  conversationId: step.system.conversation_id || step.runId,
})

/** The client credentials in the settings of a server, if there are any. */
export function oauthIn(settings: JsonRecord): ToolServer['oauth'] {
  const clientId = readText(settings, 'client_id').trim()
  if (clientId === '') return undefined
  const scope = readText(settings, 'scope').trim()
  return {
    clientId,
    clientSecret: readText(settings, 'client_secret').trim(),
    issuer: readText(settings, 'issuer').trim(),
    ...(scope !== '' && { scope }),
  }
}

/** The author has to name the issuer: otherwise a server could claim any issuer to get the credentials. */
export function oauthGaps(settings: JsonRecord, place: Gap['place']): Gap[] {
  if (readText(settings, 'client_id').trim() === '') return []
  const missing = ['client_secret', 'issuer'].filter(name => readText(settings, name).trim() === '')
  return missing.map(name => ({ place: [...place, name], message: `OAuth needs "${name}".` }))
}

export interface StoredAnswer extends Omit<ToolAnswer, 'files'> {
  files: RunFile[]
}

export async function callTool(
  step: Step,
  { toolServers, storeFile }: NodeServices,
  [server, tool, args]: [server: ToolServer, tool: string, args: Readonly<JsonRecord>],
): Promise<StoredAnswer> {
  const { signal } = step
  const onProgress = step.reportProgress.bind(step)
  const { files, ...answer } = await toolServers.call(server, tool, args, { signal, onProgress })
  const stored: RunFile[] = []
  for (const file of files) stored.push(await storeFile(step.workspaceId, file))
  return { ...answer, files: stored }
}
