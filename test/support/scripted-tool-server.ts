import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

// biome-ignore lint/suspicious/noExplicitAny: messages of a test are whatever the test says
type Message = Record<string, any>

/** The fault or special behaviour of the server for the next request of a method. */
export type ToolServerFault =
  | 'hang' // accepts the request and never responds
  | 'drop' // closes the connection without a response
  | 'cut' // closes the connection in the middle of an event stream
  | 'silent_end' // ends the stream without the response
  | 'garbage'
  | 'html'
  | 'not_rpc'
  | 'deep'
  | 'flood' // exceeds the size limit
  | { status: number; body?: string; type?: string; headers?: Record<string, string> }
  | { error: Message }
  | { result: unknown }
  | { stream: string[] } // pieces of an event stream, sent one by one; "$id" is the id of the request

export interface ToolServerOptions {
  version?: string
  sessions?: 'yes' | 'no'
  /** The encoding of responses. */
  as?: 'json' | 'stream'
  tools?: Message[]
  pageSize?: number
  call?: (name: string, args: Message, headers: IncomingMessage['headers']) => unknown
  /** Delays the result of a call. */
  before?: () => Promise<void>
}

export interface ReceivedCall {
  verb: string
  message: Message
  headers: IncomingMessage['headers']
}

/** A server of the Model Context Protocol over Streamable HTTP, on loopback. */
export class ScriptedToolServer {
  readonly received: ReceivedCall[] = []
  readonly faults = new Map<string, ToolServerFault[]>()
  readonly sessions = new Set<string>()
  readonly options: ToolServerOptions
  port = 0
  /** That were opened so far. */
  connections = 0
  readonly #server = createServer((request, response) => void this.#take(request, response))

  constructor(options: ToolServerOptions = {}) {
    this.options = options
  }

  async start(): Promise<this> {
    this.#server.on('connection', () => this.connections++).listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** Methods in order of arrival; `DELETE` for the end of a session. */
  get methods(): string[] {
    return this.received.map(({ verb, message }) => (verb === 'POST' ? (message['method'] ?? 'reply') : verb))
  }

  fail(method: string, ...faults: ToolServerFault[]): void {
    this.faults.set(method, faults)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verb = request.method ?? ''
    const body = await text(request)
    const message: Message = body === '' ? {} : JSON.parse(body)
    this.received.push({ verb, message, headers: request.headers })
    const session = request.headers['mcp-session-id']
    if (verb === 'DELETE') {
      this.sessions.delete(String(session))
      return void response.writeHead(204).end()
    }
    const fault = this.faults.get(message['method'] ?? 'reply')?.shift()
    if (fault) return this.#misbehave(fault, message, request, response)
    if (message['id'] === undefined || message['method'] === undefined)
      return void response.writeHead(202).end()
    const isNew = message['method'] === 'initialize'
    if (this.options.sessions !== 'no' && !isNew && !this.sessions.has(String(session)))
      return void response.writeHead(404).end()
    if (isNew && this.options.sessions !== 'no') {
      const id = `session-${this.received.length}`
      this.sessions.add(id)
      response.setHeader('mcp-session-id', id)
    }
    if (message['method'] === 'tools/call') await this.options.before?.()
    this.#answer({ jsonrpc: '2.0', id: message['id'], ...this.#outcome(message, request) }, response)
  }

  #outcome({ method, params }: Message, request: IncomingMessage): Message {
    if (method === 'initialize')
      return {
        result: {
          protocolVersion: this.options.version ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'scripted', version: '1' },
        },
      }
    if (method === 'tools/list') return { result: this.#page(Number(params?.cursor ?? 0)) }
    if (method === 'tools/call') {
      const given = this.options.call?.(params.name, params.arguments, request.headers)
      return given === undefined
        ? { error: { code: -32602, message: `Unknown tool: ${params.name}` } }
        : { result: given }
    }
    return { error: { code: -32601, message: 'Method not found' } }
  }

  #page(start: number): Message {
    const { tools = [], pageSize = 100 } = this.options
    const end = start + pageSize
    return { tools: tools.slice(start, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) }
  }

  #answer(message: Message, response: ServerResponse): void {
    const json = JSON.stringify(message)
    if (this.options.as !== 'stream')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(json)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`event: message\ndata: ${json}\n\n`)
  }

  #misbehave(
    fault: ToolServerFault,
    { id }: Message,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const stream = (): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream' })
    const json = (body: string): unknown =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    if (fault === 'hang') return
    if (fault === 'drop') request.socket.destroy()
    else if (fault === 'cut') stream().write('data: {"jsonrpc"', () => request.socket.destroy())
    else if (fault === 'silent_end') stream().end(': nothing\n\n')
    else if (fault === 'garbage') json('{"jsonrpc"')
    else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>')
    else if (fault === 'not_rpc') json('[1]')
    else if (fault === 'deep')
      json(`{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(9000)}${']'.repeat(9000)}}`)
    else if (fault === 'flood') stream().end(`data: "${'x'.repeat(11 << 20)}"\n\n`)
    else if ('stream' in fault)
      void sendPieces(
        stream(),
        fault.stream.map(each => each.replaceAll('$id', String(id))),
      )
    else if ('status' in fault)
      response
        .writeHead(fault.status, { 'content-type': fault.type ?? 'application/json', ...fault.headers })
        .end(fault.body)
    else json(JSON.stringify({ jsonrpc: '2.0', id, ...fault }))
  }
}

async function sendPieces(response: ServerResponse, pieces: string[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise(resolve => response.write(piece, resolve))
    // So that each arrives separately.
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  response.end()
}
