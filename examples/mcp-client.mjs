// Uses agents and workflows as tools by MCP: node examples/mcp-client.mjs [TOOL MESSAGE]
// Without arguments it lists the tools. Needs BANYAN_URL and BANYAN_TOKEN.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { BANYAN_URL: server = 'http://127.0.0.1:8080', BANYAN_TOKEN: token = '' } = process.env
const [tool, message = 'Hello'] = process.argv.slice(2)

const client = new Client({ name: 'example', version: '1.0.0' })
const headers = { authorization: `Bearer ${token}` }
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server), { requestInit: { headers } }))
if (tool === undefined) {
  const { tools } = await client.listTools()
  for (const { name, description } of tools) console.log(`${name}: ${description?.split('\n')[0]}`)
} else {
  const isAgent = tool.startsWith('ask_')
  const given = isAgent ? { message } : { query: message }
  const { content } = await client.callTool({ name: tool, arguments: given })
  for (const part of content) console.log(part.type === 'text' ? part.text : `(${part.type})`)
}
await client.close()
