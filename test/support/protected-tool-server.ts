import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An MCP server behind OAuth client credentials, which is its own authorization server. */
export class ProtectedToolServer {
  /** The client that gets a token. */
  readonly client = { id: 'banyan', secret: 'the-client-secret' }
  readonly #inner: { url: string }
  readonly #server = createServer((request, response) => void this.#take(request, response))

  constructor(inner: { url: string }) {
    this.#inner = inner
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, client } = this
    const json = (status: number, body: object, headers = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body))
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    const { authorization } = request.headers
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    if (request.url === '/.well-known/oauth-authorization-server')
      return json(200, {
        ...{
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
        },
        ...{ response_types_supported: ['code'], grant_types_supported: ['client_credentials'] },
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      })
    if (request.url === '/token')
      return authorization === `Basic ${btoa(`${client.id}:${client.secret}`)}`
        ? json(200, { access_token: 'granted', token_type: 'Bearer', expires_in: 3600 })
        : json(401, { error: 'invalid_client' })
    if (request.url !== '/mcp') return json(404, {})
    if (authorization !== 'Bearer granted')
      return json(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const body = await text(request)
    const answer = await fetch(this.#inner.url, {
      method: request.method ?? 'POST',
      headers: headers as Record<string, string>,
      ...(body !== '' && { body }),
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
}
