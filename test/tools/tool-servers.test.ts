import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import type { Egress } from '../../src/adapters/egress/egress.ts'
import { type ClosableToolServers, createToolServers } from '../../src/adapters/mcp/mcp-tool-servers.ts'
import type { ToolFailure } from '../../src/tools/tool-failure.ts'
import type { ToolServer } from '../../src/tools/tool-server.ts'
import { ScriptedToolServer, type ToolServerOptions } from '../support/scripted-tool-server.ts'

const never = new AbortController().signal
const add = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
}

const answer = (tool: string, args: Record<string, number>): unknown =>
  ({
    add: {
      content: [{ type: 'text', text: `${args['a']! + args['b']!}` }],
      structuredContent: { sum: args['a']! + args['b']! },
    },
    echo: { content: [{ type: 'text', text: args['text'] }] },
    parts: {
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'two' } },
        { type: 'audio', data: 'AQ==', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'demo:///a/\ud800notes.zip?x=1', blob: 'Ag==' } },
        { type: 'resource_link', name: 'three', uri: 'https://three.example/' },
        'noise',
      ],
    },
    structured_only: { structuredContent: { a: 1 } },
    broken: { isError: true, content: [{ type: 'text', text: 'The city is unknown' }] },
    telling: { isError: true, content: [{ type: 'text', text: 'No access for Bearer secret-token-1' }] },
    endless: { isError: true, content: [{ type: 'text', text: 'no '.repeat(1e5) }] },
  })[tool]

describe('tool servers', () => {
  let egress: Egress
  let tools: ClosableToolServers
  let server: ScriptedToolServer
  const start = async (options: ToolServerOptions = {}) => {
    await server?.close()
    server = await new ScriptedToolServer({ tools: [add], call: answer, ...options }).start()
  }
  beforeEach(async () => {
    egress = createEgress({ allow: ['127.0.0.1'] })
    tools = createToolServers(egress)
    server = await new ScriptedToolServer({ tools: [add], call: answer }).start()
  })
  afterEach(async () => {
    await tools.close()
    egress.close()
    await server.close()
  })
  const of = (headers: Record<string, string>, owner = {}): ToolServer => ({
    ...{ url: server.url, headers, workspaceId: 'w', conversationId: 'c' },
    ...owner,
  })
  const call = (tool: string, args: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    tools.call(of(headers), tool, args, { signal: never })
  const failure = (promise: Promise<unknown>): Promise<ToolFailure> =>
    promise.then(
      () => assert.fail('the call did not fail'),
      error => {
        assert.equal(error.name, 'ToolFailure', error.stack)
        return error
      },
    )

  it('are closed at once while a server does not open its session', { timeout: 10_000 }, async () => {
    server.fail('initialize', 'hang')
    const gone = new AbortController()
    const listing = tools.list(of({}), gone.signal)
    while (server.received.length === 0) await new Promise(resolve => setImmediate(resolve))
    gone.abort(new Error('stopped'))
    await assert.rejects(listing, /stopped/)
    await tools.close()
  })

  for (const as of ['json', 'stream'] as const)
    it(`return integers with all their digits, with responses as ${as}`, async () => {
      const id = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('687865202956247041')
      await start({ as, call: () => ({ structuredContent: { id, count: 2 } }) })
      const { structured } = await call('add')
      assert.deepEqual(structured, { id: '687865202956247041', count: 2 })
    })

  it('return integers with all their digits in the rest of a stream', async () => {
    server.fail('tools/call', { stream: ['id: 1\ndata: \n\n'] })
    const result = '{"content":[],"structuredContent":{"id":687865202956247041}}'
    server.fail('reply', { stream: [`data: {"jsonrpc":"2.0","id":1,"result":${result}}\n\n`] })
    assert.deepEqual((await call('add')).structured, { id: '687865202956247041' })
    assert.equal(server.received.at(-1)!.headers['last-event-id'], '1')
  })

  for (const as of ['json', 'stream'] as const)
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
      it(`are initialized once and then called, in ${version} with responses as ${as}`, async () => {
        await start({ as, version })
        assert.deepEqual(await tools.list(of({}), never), [
          { name: 'add', description: add.description, parameters: add.inputSchema },
        ])
        assert.deepEqual(await call('add', { a: 2, b: 3 }), { text: '5', structured: { sum: 5 }, files: [] })
        assert.deepEqual(server.methods, [
          'initialize',
          'notifications/initialized',
          'tools/list',
          'tools/call',
        ])
        const [first, ...others] = server.received.map(({ headers }) => headers)
        assert.equal(first!['mcp-session-id'], undefined)
        for (const headers of others) {
          assert.equal(headers['mcp-session-id'], [...server.sessions][0])
          assert.equal(headers['mcp-protocol-version'], version)
          assert.equal(headers.accept, 'application/json, text/event-stream')
        }
      })

  it('are called over one connection, also where responses have no content', async () => {
    await call('echo', { text: 'a' })
    await call('echo', { text: 'b' })
    await tools.close()
    assert.deepEqual(server.methods, [
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/call',
      'DELETE',
    ])
    assert.equal(server.connections, 1)
  })

  it('may work without sessions', async () => {
    await start({ sessions: 'no' })
    assert.equal((await call('echo', { text: 'hello 世界' })).text, 'hello 世界')
    await tools.close()
    assert.ok(!server.methods.includes('DELETE'))
  })

  it('receive the headers of the caller, with a separate session for each', async () => {
    await call('echo', { text: 'x' }, { Authorization: 'Bearer one' })
    await call('echo', { text: 'x' }, { Authorization: 'Bearer two' })
    await call('echo', { text: 'x' }, { Authorization: 'Bearer two', Accept: 'text/html' })
    assert.equal(server.sessions.size, 3)
    assert.deepEqual(
      server.received
        .filter(each => each.message['method'] === 'tools/call')
        .map(each => each.headers.authorization),
      ['Bearer one', 'Bearer two', 'Bearer two'],
    )
  })

  it('are initialized once by concurrent callers', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => call('echo', { text: `${n}` })))
    assert.equal(server.methods.filter(method => method === 'initialize').length, 1)
  })

  it('list all their tools, page by page, up to a limit', async () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ name: `tool-${n}` }))
    const unusable = [{ description: 'has no name' }, { name: 'x'.repeat(201) }]
    await start({ tools: [...many, ...unusable], pageSize: 10 })
    const found = await tools.list(of({}), never)
    assert.deepEqual(
      found.map(({ name }) => name),
      many.map(({ name }) => name),
    )
    assert.deepEqual(found[0]!.parameters, { type: 'object' })
    server.fail('tools/list', ...Array(50).fill({ result: { tools: [], nextCursor: 'again' } }))
    const { message } = await failure(tools.inspect(of({}), never))
    assert.match(message, /lists more than 1000 tools or 20 pages/)
  })

  it('may return several content parts', async () => {
    assert.deepEqual(await call('parts'), {
      text: 'one\ntwo\nthree: https://three.example/',
      structured: undefined,
      files: [
        { name: 'image-1.png', bytes: Buffer.from([0, 0, 0]) },
        { name: 'audio-2.wav', bytes: Buffer.from([1]) },
        { name: '\ufffdnotes.zip', bytes: Buffer.from([2]) },
      ],
    })
    assert.deepEqual(await call('structured_only'), { text: '{"a":1}', structured: { a: 1 }, files: [] })
  })

  it('may drop a session, which is then opened again', async () => {
    await call('echo', { text: 'x' })
    server.sessions.clear()
    assert.equal((await call('echo', { text: 'again' })).text, 'again')
    const body =
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID"}}'
    server.fail('tools/call', { status: 400, body })
    assert.equal((await call('echo', { text: 'once more' })).text, 'once more')
    server.fail('tools/call', { status: 404 }, { status: 404 })
    assert.match((await failure(call('echo', { text: 'x' }))).message, /forgets its sessions/)
  })

  it('are notified when a session is over', async () => {
    await call('echo', { text: 'x' })
    assert.equal(server.sessions.size, 1)
    await tools.close()
    assert.equal(server.sessions.size, 0)
    assert.equal(server.methods.at(-1), 'DELETE')
  })

  it('keep a limited number of sessions, and end idle ones', async () => {
    tools = createToolServers(egress, { maxIdle: 2 })
    for (const name of ['a', 'b', 'c']) await call('echo', { text: 'x' }, { 'x-name': name })
    // In the background; closing waits only for the rest, so the oldest session needs a moment.
    while (server.methods.filter(method => method === 'DELETE').length < 1) await new Promise(setImmediate)
    assert.equal(server.sessions.size, 2)
    await tools.close()
    tools = createToolServers(egress, { idleMilliseconds: -1 })
    await call('echo', { text: 'x' })
    await call('echo', { text: 'x' })
    while (server.sessions.size > 1) await new Promise(setImmediate)
  })

  const sessionOf = async (owner: Partial<ToolServer>): Promise<unknown> => {
    await tools.call(of({}, owner), 'echo', { text: 'x' }, { signal: never })
    return server.received.at(-1)!.headers['mcp-session-id']
  }

  it('have a session for each conversation of each workspace', async () => {
    const owners = [{}, { conversationId: 'other' }, { workspaceId: 'other' }]
    const first = []
    for (const owner of owners) first.push(await sessionOf(owner))
    assert.equal(new Set(first).size, 3)
    for (const [index, owner] of owners.entries()) assert.equal(await sessionOf(owner), first[index])
  })

  it('that keep no sessions are initialized once for a workspace', async () => {
    await start({ sessions: 'no' })
    for (const workspaceId of ['w', 'other'])
      for (const conversationId of ['c', 'd', 'e']) await sessionOf({ workspaceId, conversationId })
    assert.equal(server.methods.filter(method => method === 'initialize').length, 2)
  })

  it('keep the idle sessions of a workspace open, however many another one uses', async () => {
    tools = createToolServers(egress, { maxIdle: 4, maxIdlePerWorkspace: 2 })
    const own = await sessionOf({ workspaceId: 'quiet' })
    const used = []
    for (let n = 0; n < 6; n++) used.push(await sessionOf({ conversationId: `c${n}` }))
    while (server.sessions.size > 3) await new Promise(setImmediate)
    assert.deepEqual([...server.sessions], [own, ...used.slice(-2)])
    assert.equal(await sessionOf({ workspaceId: 'quiet' }), own)
  })

  it('keep sessions in use open, however many there are', async () => {
    tools = createToolServers(egress, { maxIdle: 1, maxIdlePerWorkspace: 1 })
    const names = ['a', 'b', 'c', 'd']
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await start({ call: () => ({ content: [] }), before: () => released })
    const calls = names.map(name => tools.call(of({}, { conversationId: name }), 'x', {}, { signal: never }))
    while (server.methods.filter(method => method === 'tools/call').length < 4)
      await new Promise(setImmediate)
    assert.equal(server.sessions.size, 4)
    assert.ok(!server.methods.includes('DELETE'))
    release()
    await Promise.all(calls)
    while (server.sessions.size > 1) await new Promise(setImmediate)
  })

  it('may send comments, notifications, other responses and requests before the response', async () => {
    server.fail('tools/call', {
      stream: [
        ': hello\r\n\r\n',
        'event: ping\ndata: not for us\n\n',
        'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\r',
        '\n\r\ndata: {"jsonrpc":"2.0","id":9999,"result":{"content":[{"type":"text","text":"of another"}]}}\n\n',
        'id: 1\ndata:\n\n',
        'data: {"jsonrpc":"2.0","id":"s1","method":"ping"}\n\n',
        'data: {"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage"}\n\n',
        'data: {"jsonrpc":"2.0",\ndata: "id":$id,\rdata:"result":{"content":[{"type":"text",',
        '"text":"ours"}]}}\n',
        '\n',
      ],
    })
    assert.equal((await call('echo')).text, 'ours')
    const replies = server.received.filter(({ message }) => message['method'] === undefined && message['id'])
    assert.deepEqual(replies.map(({ message: { id, result, error } }) => [id, result, error?.code]).sort(), [
      ['s1', {}, undefined],
      ['s2', undefined, -32601],
    ])
  })

  it('may send several responses in one array, and omit the last empty line', async () => {
    server.fail('tools/call', {
      stream: ['data: [{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}]'],
    })
    assert.deepEqual(await call('echo'), { text: '', structured: undefined, files: [] })
  })

  it('are asked for their tools once, until they report a change', async () => {
    const lists = () => server.methods.filter(method => method === 'tools/list').length
    for (const conversationId of ['c', 'd', 'c']) await tools.list(of({}, { conversationId }), never)
    assert.equal(lists(), 1)
    await tools.list(of({}, { workspaceId: 'other' }), never)
    assert.equal(lists(), 2, 'another workspace asks itself')
    const changed = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    const done = 'data: {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}\n\n'
    server.fail('tools/call', { stream: [changed, done] })
    await call('echo')
    await tools.list(of({}), never)
    assert.equal(lists(), 3)
  })

  for (const status of [307, 308])
    it(`may redirect with ${status} within their origin`, async () => {
      server.fail('initialize', { status, headers: { location: '/mcp/?a=b' } })
      assert.equal((await call('echo', { text: 'there' })).text, 'there')
    })

  it('are notified that a call was stopped', async () => {
    await tools.list(of({}), never)
    server.fail('tools/call', 'hang')
    const controller = new AbortController()
    const stopped = tools.call(of({}), 'echo', {}, { signal: controller.signal })
    while (server.methods.at(-1) !== 'tools/call') await new Promise(setImmediate)
    const { id } = server.received.at(-1)!.message
    controller.abort(new Error('the user left'))
    await assert.rejects(stopped, { message: 'the user left' })
    while (server.methods.at(-1) !== 'notifications/cancelled') await new Promise(setImmediate)
    assert.deepEqual(server.received.at(-1)!.message['params'], { requestId: id, reason: 'stopped' })
  })

  it('cannot make the client reply without end', async () => {
    const pings = Array.from(
      { length: 50 },
      (_, n) => `data: {"jsonrpc":"2.0","id":"p${n}","method":"ping"}\n\n`,
    )
    const done = 'data: {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}\n\n'
    server.fail('tools/call', { stream: [pings.join(''), done] })
    await call('echo')
    await call('echo', { text: 'y' })
    assert.equal(server.methods.filter(method => method === 'reply').length, 16)
  })

  it('are not asked again for a moment while they are down', async () => {
    server.fail('initialize', { status: 503 }, { status: 503 })
    const first = await failure(tools.list(of({}), never))
    assert.equal(await failure(tools.list(of({}), never)), first)
    assert.deepEqual(server.methods, ['initialize'])
    assert.equal((await call('echo', { text: 'a call tries' }).catch(error => error)).name, 'ToolFailure')
  })

  describe('fail', () => {
    it('with the message of the tool, bounded and without secrets', async () => {
      assert.equal((await failure(call('broken'))).message, 'The tool broken failed: The city is unknown')
      const failed = await failure(call('telling', {}, { Authorization: 'Bearer secret-token-1' }))
      assert.doesNotMatch(failed.message, /secret-token/)
      assert.ok((await failure(call('endless'))).message.length < 1100)
    })

    it('with the message of the server', async () => {
      const unknown = await failure(call('nothing'))
      assert.match(unknown.message, /^127\.0\.0\.1:\d+ reported an error: Unknown tool: nothing$/)
      assert.equal(unknown.retryable, false)
      server.fail('tools/call', { error: { code: -1 } })
      assert.match((await failure(call('add'))).message, /reported an error: error -1/)
    })

    for (const [fault, message, retryable] of [
      ['drop', /broke off/, true],
      ['cut', /broke off/, true],
      ['silent_end', /ended its response without a result/, true],
      ['garbage', /is not a tool server: it responded with something that is not JSON/, false],
      ['html', /is not a tool server/, false],
      ['not_rpc', /is not a tool server/, false],
      ['deep', /nested too deeply/, false],
      ['flood', /larger than/, false],
      [{ result: 'text' }, /JSON that does not follow the protocol/, false],
      [{ status: 401 }, /status 401: check the headers/, false],
      [{ status: 500, type: 'text/plain', body: 'on fire' }, /status 500 \(on fire\)/, true],
      [{ status: 502, type: 'text/html', body: '<p>gateway</p>' }, /status 502$/, true],
      [{ status: 307, headers: { location: 'http://127.0.0.1/' } }, /status 307/, false],
    ] as const)
      it(`when a call encounters ${JSON.stringify(fault)}`, async () => {
        await call('echo', { text: 'x' })
        server.fail('tools/call', fault)
        const failed = await failure(call('echo', { text: 'x' }))
        assert.match(failed.message, message)
        assert.equal(failed.retryable, retryable)
        // A call that may have been received is never repeated.
        assert.equal(server.methods.filter(method => method === 'tools/call').length, 2)
        assert.equal((await call('echo', { text: 'well' })).text, 'well')
      })

    it('with the retry delay that the server requests', async () => {
      server.fail('tools/call', { status: 429, headers: { 'retry-after': '7' } })
      const failed = await failure(call('echo'))
      assert.deepEqual([failed.retryable, failed.retryAfterMilliseconds], [true, 7000])
    })

    it('when initialization fails, and are initialized again the next time', async () => {
      server.fail(
        'initialize',
        'garbage',
        {
          result: {
            protocolVersion: '1999-01-01',
            capabilities: {},
            serverInfo: { name: 'x', version: '1' },
          },
        },
        { status: 404 },
      )
      assert.match((await failure(call('echo'))).message, /is not a tool server/)
      assert.match((await failure(call('echo'))).message, /protocol version is not supported: 1999/)
      assert.match((await failure(call('echo'))).message, /status 404/)
      assert.equal((await call('echo', { text: 'now' })).text, 'now')
    })

    it('when they do not initialize in time', async () => {
      tools = createToolServers(egress, { openMilliseconds: 50 })
      server.fail('initialize', 'hang')
      const failed = await failure(call('echo'))
      assert.match(failed.message, /did not open a session in time/)
      assert.equal(failed.retryable, true)
    })

    it('with the reason of an aborted signal, without affecting other callers', async () => {
      const controller = new AbortController()
      const reason = new Error('stopped')
      const givenUp = tools.call(of({}), 'echo', { text: 'a' }, { signal: controller.signal })
      const going = call('echo', { text: 'b' })
      controller.abort(reason)
      await assert.rejects(givenUp, error => error === reason)
      assert.equal((await going).text, 'b')
      server.fail('tools/call', 'hang')
      const second = new AbortController()
      const hanging = tools.call(of({}), 'echo', {}, { signal: second.signal })
      while (server.methods.filter(method => method === 'tools/call').length < 2)
        await new Promise(setImmediate)
      second.abort(reason)
      await assert.rejects(hanging, error => error === reason)
    })
  })
})
