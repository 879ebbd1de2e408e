import { tokenPlaceholder } from './token-placeholder.ts'

export type McpClient = 'claude' | 'cursor' | 'vscode' | 'other'

const authorization = `Bearer ${tokenPlaceholder}`

/** A command, or the content of the file that a client reads. */
export function mcpSetup(client: McpClient, url: string): string {
  if (client === 'claude')
    return `claude mcp add --transport http banyan ${url} --header "Authorization: ${authorization}"`
  if (client === 'other') return `URL: ${url}\nAuthorization: ${authorization}`
  const banyan = { type: 'http', url, headers: { Authorization: authorization } }
  return JSON.stringify({ [client === 'cursor' ? 'mcpServers' : 'servers']: { banyan } }, undefined, 2)
}
