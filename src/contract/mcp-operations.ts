import { array, text } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { Type } from './schema.ts'

export const mcpOperations = defineOperations('mcp', {
  message: {
    path: '/mcp',
    access: 'token',
    summary: 'Model Context Protocol: the workspace as tools and resources',
    details:
      'One JSON-RPC message over Streamable HTTP, in the protocol versions 2025-06-18 and 2025-11-25. There are no sessions, so any replica answers. Which tools there are depends on the token. A web page may call it only from this machine or from an origin in MCP_ORIGINS. Errors are JSON-RPC errors.',
    headers: {
      Accept: 'Must contain application/json and text/event-stream.',
      'MCP-Protocol-Version': 'The negotiated version, after initialize.',
    },
    body: Type.Unknown({ description: 'A JSON-RPC message. Batches are not supported.' }),
    bodyLimit: limits.graphBytes,
    bodyValues: limits.graphValues,
    answers: 'text/event-stream',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  },
})

const serverText = (description: string, example: string) => Type.String({ description, examples: [example] })

export const toolOperations = defineOperations('tool', {
  inspect: {
    access: 'write',
    summary: 'List the tools of an MCP server',
    details:
      'Connects to the server as a node or an agent would. Fails with step_failed and the reason if that does not work. URL, headers and the client secret may contain references such as {{#secret.name#}}.',
    body: Type.Object({
      url: text('HTTP address of the MCP server.', [1, limits.addressLength], {
        example: 'https://tools.example.com/mcp',
      }),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the requests, by name.',
          maxProperties: 50,
        }),
      ),
      oauth: Type.Optional(
        Type.Object({
          client_id: text('Client id.', [1, limits.addressLength]),
          client_secret: text('Client secret.', [1, limits.addressLength]),
          issuer: text('URL of the authorization server; the credentials are sent nowhere else.', [
            1,
            limits.addressLength,
          ]),
          scope: Type.Optional(text('Scopes, separated by spaces.', [0, limits.addressLength])),
        }),
      ),
    }),
    data: Type.Object({
      name: serverText('Name of the server.', 'weather'),
      version: serverText('Version of the server.', '1.0.0'),
      protocol_version: serverText('Negotiated version of the protocol.', '2025-11-25'),
      instructions: serverText('What the server says about its use.', ''),
      tools: array(
        Type.Object({
          name: serverText('Name of the tool.', 'forecast'),
          description: serverText('What the tool does.', 'Weather of the next days'),
          parameters: Type.Unknown({ description: 'JSON Schema of its arguments.' }),
        }),
        'The tools of the server.',
      ),
    }),
    example: { url: 'https://tools.example.com/mcp' },
  },
})
