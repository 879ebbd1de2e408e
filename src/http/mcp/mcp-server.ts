import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TokenRecord } from '../../access/access-store.ts'
import { Answer } from '../answer.ts'
import { withComments } from '../event-stream.ts'
import { type InternalCall, InternalCallFailure, internalCalls } from './internal-call.ts'
import { listResources, readResource, resourceNotFound, resourceTemplates } from './mcp-resources.ts'
import { fixedTools, type McpTool, ownTools } from './mcp-tools.ts'

const serverInfo = { name: 'banyan', title: 'Banyan', version: '1' }
const instructions =
  'Tools that begin with ask_ talk to an agent and with run_ run a workflow. Send the conversation_id of an answer to continue a conversation.'
/** How often a client that asked for progress learns that its call is still at work. */
const progressMilliseconds = 5000

/** Answers one HTTP request. There is no session: every replica can answer the next one. */
export async function answerMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  token: TokenRecord,
): Promise<Answer> {
  const origin = `${request.protocol}://${request.host}`
  const server = createServer(internalCalls(request, reply, token), token, origin)
  const transport = new WebStandardStreamableHTTPServerTransport()
  // The SDK declares the session id of a transport in a way that exactOptionalPropertyTypes rejects.
  await server.connect(transport as Parameters<Server['connect']>[0])
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, String(value))
  // Only the path matters to the SDK.
  const asked = new Request('http://localhost/mcp', { method: 'POST', headers })
  const response = await transport.handleRequest(asked, { parsedBody: request.body })
  const { status, body } = response
  // The server decides whether the connection stays open: the client may have asked to close it.
  response.headers.delete('connection')
  const sent = {
    ...Object.fromEntries(response.headers),
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  }
  const content = body ? Readable.fromWeb(body as ReadableStream) : undefined
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  return new Answer(status, sent, content && isStream ? withComments(content) : content)
}

function createServer(call: InternalCall, token: TokenRecord, origin: string): Server {
  const server = new Server(serverInfo, { capabilities: { tools: {}, resources: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    refuseCursor(params)
    const tools = [...(await ownTools(call, token, origin)), ...fixedTools(call, token)]
    const definitions = []
    for (const { definition, complete } of tools) definitions.push((await complete?.()) ?? definition)
    return { tools: definitions }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta, sendNotification }) => {
    const named = ({ definition }: McpTool): boolean => definition.name === params.name
    const tool = fixedTools(call, token).find(named) ?? (await ownTools(call, token, origin)).find(named)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool named ${params.name}`)
    const args = params.arguments ?? {}
    const missing = (tool.definition.inputSchema.required ?? []).filter(name => (args[name] ?? null) === null)
    if (missing.length > 0) return failed(missing.map(name => `${name} is required`).join('\n'))
    const progressToken = _meta?.progressToken
    let progress = 0
    const timer = setInterval(() => {
      if (progressToken === undefined) return
      progress += 1
      const report = { progressToken, progress }
      sendNotification({ method: 'notifications/progress', params: report }).catch(() => {})
    }, progressMilliseconds)
    try {
      return await tool.run(args)
    } catch (error) {
      if (!(error instanceof InternalCallFailure)) throw error
      return failed(error.message)
    } finally {
      clearInterval(timer)
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) => {
    refuseCursor(params)
    return { resources: await listResources(call, token) }
  })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
    refuseCursor(params)
    return { resourceTemplates }
  })
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    readResource(call, params.uri).catch((error: unknown) => {
      if (!(error instanceof InternalCallFailure)) throw error
      throw new McpError(
        error.reason === 'not_found' ? resourceNotFound : ErrorCode.InvalidParams,
        error.message,
      )
    }),
  )
  return server
}

/** No list has a second page, so no cursor is valid. */
function refuseCursor(params: { cursor?: string | undefined } | undefined): void {
  if (params?.cursor !== undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such cursor')
}

/** A refusal is for the model, which may correct its arguments. */
const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })
