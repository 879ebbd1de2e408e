import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import type { Egress } from '../../src/adapters/egress/egress.ts'
import { createHttpClient } from '../../src/adapters/egress/egress-http-client.ts'
import { createToolServers } from '../../src/adapters/mcp/mcp-tool-servers.ts'
import { createLanguageModel } from '../../src/adapters/model/language-model.ts'
import type { ToolServer } from '../../src/tools/tool-server.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'
import { privateUrls } from './private-spellings.ts'

const never = new AbortController().signal

/** Every component that calls a user-chosen address. A new one belongs in this table. */
const clients: Record<string, (egress: Egress, url: string) => Promise<unknown>> = {
  'the HTTP client, GET': (egress, url) => http(egress, url, 'GET'),
  'the HTTP client, POST': (egress, url) => http(egress, url, 'POST'),
  'the tool servers, list': (egress, url) => createToolServers(egress).list(toolServer(url), never),
  'the tool servers, call': (egress, url) =>
    createToolServers(egress).call(toolServer(url), 'tool', {}, { signal: never }),
  'the tool servers, inspect': (egress, url) => createToolServers(egress).inspect(toolServer(url), never),
  // Settings that are not URLs are rejected before they reach the egress.
  'the language model of a workspace': async (egress, baseUrl) =>
    createLanguageModel({ egress, baseUrl, model: 'm', trusted: false }).generate(
      { messages: [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }] },
      () => {},
      never,
    ),
}

const toolServer = (url: string): ToolServer => ({
  url,
  headers: {},
  workspaceId: 'w',
  conversationId: 'c',
})

const http = (egress: Egress, url: string, method: string) =>
  createHttpClient(egress).request({ method, url, headers: {}, signal: never, timeoutMilliseconds: 5000 })

describe('every client of user-chosen addresses', () => {
  let target: LoopbackServer
  let crossroads: LoopbackServer
  before(async () => {
    target = await startLoopbackServer()
    crossroads = await startLoopbackServer((request, response) => {
      const query = new URL(request.url ?? '/', 'http://x').searchParams
      const status = Number(query.get('status'))
      response.writeHead(status, { location: query.get('to') ?? '/' }).end()
    })
  })
  after(() => Promise.all([target.close(), crossroads.close()]))

  /** A refusal reports nothing else; a network error would mean that a connection was attempted. */
  const isRefusal = (error: Error & { retryable?: boolean }): boolean =>
    (['ToolFailure', 'ModelFailure'].includes(error.name) && error.retryable === false) ||
    // A name that resolves to a private address is reported like one that does not exist.
    /no such host, or it is not on the public internet|provider could not be reached.*EGRESS_ALLOW/.test(
      error.message,
    ) ||
    /^Invalid URL$|MODEL_BASE_URL is not a URL/.test(error.message)

  for (const [name, reach] of Object.entries(clients)) {
    it(`rejects a private address in every spelling without a connection: ${name}`, async () => {
      // The port is open and every name resolves to the target, so that only the address can be the reason.
      const egress = createEgress({
        allow: [],
        ports: [target.port],
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      })
      const before = target.connections
      const urls = privateUrls(target.port)
      const unrefused = await Promise.all(
        urls.map(url =>
          reach(egress, url).then(
            () => `${url} was called`,
            error => (isRefusal(error) ? [] : `${url}: ${error.stack}`),
          ),
        ),
      )
      assert.deepEqual(unrefused.flat(), [])
      assert.equal(target.connections, before)
      egress.close()
    })

    for (const status of [301, 302, 303, 307, 308])
      it(`does not follow a redirect by ${status} to a private address: ${name}`, async () => {
        const egress = createEgress({
          allow: [`crossroads.example:${crossroads.port}`],
          ports: [80, 443, target.port],
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        })
        const before = target.connections
        const passed = crossroads.connections
        for (const host of ['127.0.0.1', '2130706433', '[::ffff:7f00:1]', 'localhost', 'inner.example']) {
          const to = encodeURIComponent(`http://${host}:${target.port}/`)
          const from = `http://crossroads.example:${crossroads.port}/?status=${status}&to=${to}`
          // A POST with a body is not redirected to another server: the redirect itself is the response.
          await reach(egress, from).catch(error => assert.ok(isRefusal(error), error.stack))
        }
        assert.equal(target.connections, before)
        assert.ok(crossroads.connections > passed, 'the first hop was called')
        egress.close()
      })
  }

  for (const [name, reach] of Object.entries(clients))
    it(`answers alike for internal, absent and unresolved names: ${name}`, async () => {
      const answers = await Promise.all(
        [
          async () => [{ address: '10.0.0.1', family: 4 }],
          async () => [],
          ...['ENOTFOUND', 'EAI_AGAIN'].map(
            code => () => Promise.reject(Object.assign(new Error(), { code })),
          ),
        ].map(async resolve => {
          const egress = createEgress({ allow: [], resolve })
          const failure = await reach(egress, 'http://inner.example/').then(
            () => assert.fail('was called'),
            ({ name, message, retryable, kind }) => ({ name, message, retryable, kind }),
          )
          egress.close()
          return failure
        }),
      )
      for (const answer of answers) assert.deepEqual(answer, answers[0])
    })

  for (const [name, reach] of Object.entries(clients))
    it(`reaches an address that the operator allows, which proves that the target counts: ${name}`, async () => {
      const egress = createEgress({ allow: ['127.0.0.1'] })
      const before = target.connections
      // It is not a tool server, which only a call can find out.
      await reach(egress, `${target.origin}/`).catch(() => {})
      assert.ok(target.connections > before)
      egress.close()
    })
})
