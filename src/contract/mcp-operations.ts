import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { Type } from './schema.ts'

export const mcpOperations = defineOperations('mcp', {
  message: {
    path: '/mcp',
    access: 'token',
    summary: 'Model Context Protocol: the workspace as tools and resources',
    details:
      'One JSON-RPC message over Streamable HTTP, in the protocol versions 2025-06-18 and 2025-11-25. There are no sessions, so any replica answers. The token determines the available tools. A web page may call it only from this machine or from an origin in MCP_ORIGINS. Errors are JSON-RPC errors.',
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
