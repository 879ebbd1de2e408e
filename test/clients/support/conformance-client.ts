/** What the conformance suite starts: our client lists the tools of the server under test and calls one of them. */
import { createEgress } from '../../../src/adapters/egress/create-egress.ts'
import { createToolServers } from '../../../src/adapters/mcp/mcp-tool-servers.ts'

const calls: Record<string, Record<string, unknown>> = {
  add_numbers: { a: 2, b: 3 },
  'test-tool': {},
  test_reconnection: {},
}

interface Context {
  client_id?: string
  client_secret?: string
}

const url = process.argv.at(-1)!
const { client_id, client_secret } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context
const egress = createEgress({ allow: ['localhost', '127.0.0.1'] })
const tools = createToolServers(egress)
const signal = AbortSignal.timeout(20_000)

/** The suite starts the authorization server on a port of its own, which only its metadata names. */
async function issuer(): Promise<string> {
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
  return ((await metadata.json()) as { authorization_servers: [string] }).authorization_servers[0]
}

const server = {
  url,
  headers: {},
  workspaceId: 'w',
  conversationId: 'c',
  ...(client_id &&
    client_secret && {
      oauth: { clientId: client_id, clientSecret: client_secret, issuer: await issuer() },
    }),
}
for (const { name } of await tools.list(server, signal))
  if (calls[name]) await tools.call(server, name, calls[name], { signal })
await tools.close()
egress.close()
