import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { Gates } from '../support/gates.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import {
  makeAgent,
  makeWorkflow,
  messagesOf,
  openTalk,
  say,
  send,
  type Talk,
  wordsOf,
} from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const gates = new Gates()
let model: ScriptedModel
let server: TestServer
let api: ApiClient
let agentId: string

/** A browser with a secret of its own. */
async function visitor(agent = agentId): Promise<ApiClient & { userId: string }> {
  const anonymous = api.as(undefined)
  const { visitor: secret, user_id: userId } = await dataOf(
    anonymous.post('agent/visitor', { agent_id: agent }),
  )
  const withSecret = (options: { headers?: Record<string, string> } = {}) => ({
    ...options,
    headers: { 'x-visitor': secret, ...options.headers },
  })
  return {
    ...anonymous,
    userId,
    call: (method, path, body, options) => anonymous.call(method, path, body, withSecret(options)),
    get: (path, options) => anonymous.get(path, withSecret(options)),
    post: (path, body, options) => anonymous.post(path, body, withSecret(options)),
    bytes: (path, options) => anonymous.bytes(path, withSecret(options)),
  }
}

const query = (talk: Talk, more: Record<string, string> = {}): string =>
  new URLSearchParams({ ...talk, ...more }).toString()

const upload = (client: ApiClient, talk: Talk, name: string, content: string | Uint8Array) =>
  client.call('POST', `conversation/upload?${query(talk, { name })}`, content, {
    headers: { 'content-type': 'application/octet-stream' },
  })

const outcome = ({ status, json }: ApiAnswer) => [status, json.code]

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off', PUBLIC_CALLS_PER_MINUTE: '0' })
  api = server.api
  model.play(body => ({
    beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined),
  }))
  const workflow_id = await makeWorkflow(api, echoGraph())
  agentId = await makeAgent(
    api,
    {
      ...{ workflow_id, prologue: 'Welcome', recommendation_question: ['Who?'], tools: { web_search: {} } },
      avatar: { emoji: '🌳' },
    },
    { access: 'public', intro: 'Helps', allowed_origins: ['https://shop.example', 'https://*.blog.example'] },
  )
})
afterEach(() => gates.open())
after(async () => {
  await server.stop()
  await model.stop()
})

describe('the profile of an agent', () => {
  test('shows a visitor the fields that a chat page needs, and no settings', async () => {
    const profile = await dataOf(api.as(undefined).get(`agent/profile?agent_id=${agentId}`))
    assert.match(profile.name, /^Agent/)
    assert.deepEqual(profile, {
      ...{ agent_id: agentId, name: profile.name, intro: 'Helps', prologue: 'Welcome' },
      avatar: { emoji: '🌳' },
      ...{
        recommendation_question: ['Who?'],
        message_types: ['text', 'image', 'file', 'voice', 'video', 'action'],
      },
      ...{ max_file_bytes: 20 << 20, max_files: 20 },
      variables: [],
    })
  })

  test('does not exist for private and unknown agents, with and without a token', async () => {
    const hidden = await makeAgent(api)
    for (const client of [api, api.as(undefined)])
      for (const id of [hidden, 'agent_NeverNeverNeverNeverNe']) {
        assert.deepEqual(outcome(await client.get(`agent/profile?agent_id=${id}`)), [404, 40401])
        assert.deepEqual(outcome(await client.post('agent/visitor', { agent_id: id })), [404, 40401])
      }
    assert.equal((await api.as('wrong').get(`agent/profile?agent_id=${agentId}`)).status, 401)
  })
})

describe('visitors', () => {
  test('are isolated: the conversation id and the user id of another visitor give no access', async () => {
    const ada = await visitor()
    const bob = await visitor()
    const talk = await openTalk(ada, agentId)
    const { feedback } = await say(ada, talk, 'my secret')
    const message_id = feedback[0].message_id
    for (const other of [bob, api.as(undefined)]) {
      assert.deepEqual(outcome(await other.post('conversation/retrieve', talk)), [404, 40401])
      assert.deepEqual(outcome(await send(other, talk, 'hi')), [404, 40401])
      assert.deepEqual(outcome(await other.post('conversation/stop', talk)), [404, 40401])
      assert.deepEqual(outcome(await upload(other, talk, 'a.txt', 'x')), [404, 40401])
      assert.deepEqual(
        outcome(await other.get(`conversation/file?${query(talk, { message_id, file_id: 'file_x' })}`)),
        [404, 40401],
      )
      assert.deepEqual(
        outcome(await other.post('conversation/create', { agent_id: agentId, user_id: ada.userId })),
        [403, 40301],
      )
    }
    for (const [path, more] of Object.entries({
      rename: { name: 'x' },
      feedback: { message_id, rating: 'like' },
      delete: {},
    })) {
      assert.deepEqual(outcome(await bob.post(`conversation/${path}`, { ...talk, ...more })), [404, 40401])
      const anonymous = await api.as(undefined).post(`conversation/${path}`, { ...talk, ...more })
      assert.deepEqual(outcome(anonymous), [401, 40101])
    }
    const list = (client: ApiClient, more = {}) =>
      client.post('conversation/list', { agent_id: agentId, ...more })
    assert.equal((await list(bob)).json.total, 0)
    assert.deepEqual(outcome(await list(bob, { user_id: ada.userId })), [403, 40301])
    assert.deepEqual(outcome(await list(api.as(undefined))), [401, 40101])
    const own = (await list(ada)).json
    assert.deepEqual([own.total, own.items[0].name, own.items[0].user_id], [1, 'my secret', ada.userId])
    const other = await visitor()
    assert.deepEqual(
      outcome(await other.post('conversation/create', { agent_id: agentId, user_id: 'somebody' })),
      [403, 40301],
    )
  })

  test('rename, rate and delete their own conversations, which the workspace sees too', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    const { feedback } = await say(ada, talk, 'hello')
    const { message_id } = feedback[0]
    const post = async (path: string, more: object) =>
      (await ada.post(`conversation/${path}`, { ...talk, ...more })).status
    assert.equal(await post('rename', { name: 'Mine' }), 200)
    assert.equal(await post('feedback', { message_id, rating: 'dislike', comment: 'no' }), 200)
    const seen = (await api.post('conversation/retrieve', { ...talk, details: 1 })).json.retrieve_data
    assert.equal(seen[1].rating, 'dislike')
    assert.equal(await post('delete', {}), 200)
    assert.equal((await ada.post('conversation/retrieve', talk)).status, 404)
  })

  test('must send a secret of the server, and lose access when the agent becomes private', async () => {
    const bad = await api
      .as(undefined)
      .post('conversation/create', { agent_id: agentId }, { headers: { 'x-visitor': 'guess' } })
    assert.deepEqual([...outcome(bad), bad.json.errors[0].path], [400, 40001, 'header/X-Visitor'])
    const agent = await makeAgent(api, {}, { access: 'public' })
    const ada = await visitor(agent)
    const talk = await openTalk(ada, agent)
    await api.post('agent/update', { id: agent, access: 'private' })
    assert.deepEqual(outcome(await ada.post('conversation/retrieve', talk)), [401, 40101])
    assert.deepEqual(outcome(await ada.post('conversation/list', { agent_id: agent })), [401, 40101])
  })

  test('keep conversations without a secret open to those who know their id', async () => {
    const anonymous = api.as(undefined)
    const talk = await openTalk(anonymous, agentId, { user_id: 'device-7' })
    assert.equal((await say(anonymous, talk, 'hello')).feedback[0].content, 'A: echo: hello')
    assert.deepEqual(outcome(await (await visitor()).post('conversation/retrieve', talk)), [404, 40401])
  })
})

describe('the turn of a visitor', () => {
  test('is stopped', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    assert.equal((await ada.post('conversation/stop', talk)).json.stopped, false)
    gates.hold('middle of stop me')
    const answer = send(ada, talk, 'stop me')
    // A turn that is stopped before any text leaves no answer.
    await gates.reached('middle of stop me')
    assert.equal((await ada.post('conversation/stop', talk)).json.stopped, true)
    const { status, json } = await answer
    assert.deepEqual([status, json.stopped], [200, true])
    assert.equal((await ada.post('conversation/stop', talk)).json.stopped, false)
    const { retrieve_data: shown } = (await ada.post('conversation/retrieve', { ...talk, details: true }))
      .json
    assert.deepEqual(
      shown.map(({ role, stopped }: { role: number; stopped?: boolean }) => [role, stopped]),
      [
        [0, undefined],
        [1, true],
      ],
    )
  })

  test('replaces an earlier one and all after it', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    const turns = []
    for (const content of ['one', 'two', 'three']) turns.push(await say(ada, talk, content))
    const { message_id } = turns[1].feedback[0]
    await ada.post('conversation/feedback', { ...talk, message_id, rating: 'like' })
    const edited = await say(ada, talk, 'second', { replaces: turns[1].chat_id })
    assert.deepEqual(
      (await wordsOf(ada, talk)).map(([, content]) => content),
      ['one', 'A: echo: one', 'second', 'A: echo: second'],
    )
    const bad = await send(ada, talk, 'x', { replaces: turns[2].chat_id })
    assert.deepEqual([...outcome(bad), bad.json.errors[0].path], [400, 40001, '/replaces'])
    const again = await say(ada, talk, 'second', { replaces: edited.chat_id })
    assert.notEqual(again.chat_id, edited.chat_id)
    assert.equal((await wordsOf(ada, talk)).length, 4)
    // What was replaced is still there, with its rating, as versions of the turn.
    const details = await messagesOf(ada, talk, { details: 1 })
    assert.deepEqual(
      details.map(({ version }) => version),
      [undefined, undefined, 3, 3],
    )
    const version = async (number: number, chat_id = again.chat_id, by = ada) =>
      by.get(`conversation/versions?${query(talk, { chat_id, version: String(number) })}`)
    const first = (await version(1)).json
    assert.deepEqual([first.versions, first.chat_id], [3, turns[1].chat_id])
    assert.deepEqual(
      first.retrieve_data.map(({ content }: { content: string }) => content),
      ['two', 'A: echo: two', 'three', 'A: echo: three'],
    )
    assert.equal((await version(2)).json.retrieve_data[0].message_id, edited.message_id)
    assert.equal((await version(3)).status, 404)
    assert.equal((await version(1, turns[0].chat_id)).status, 404)
    assert.equal((await version(1, again.chat_id, await visitor())).status, 404)
    // A request that is repeated gets its answer, even if it was replaced meanwhile.
    const repeated = await say(ada, talk, 'second', { chat_id: edited.chat_id, replaces: turns[1].chat_id })
    assert.equal(repeated.feedback[0].content, 'A: echo: second')
  })

  test('replaces a question that the agent waits with', async () => {
    const workflow_id = await makeWorkflow(
      api,
      chain(
        node('ask', 'question', { question: 'Which {{#sys.query#}}?' }),
        output('say', 'OK {{#ask.answer#}}'),
      ),
    )
    const agent = await makeAgent(api, { workflow_id }, { access: 'public' })
    const ada = await visitor(agent)
    const talk = await openTalk(ada, agent)
    const first = await say(ada, talk, 'tea')
    assert.equal(first.waiting, true)
    const second = await say(ada, talk, 'milk', { replaces: first.chat_id })
    assert.deepEqual([second.waiting, second.feedback[0].content], [true, 'Which milk?'])
    const answered = await say(ada, talk, 'cold')
    assert.equal(answered.feedback.at(-1).content, 'OK cold')
    // The run has gone on with that answer: as a query, another one would start the workflow again.
    const other = await send(ada, talk, 'warm', { replaces: answered.chat_id })
    assert.deepEqual([...outcome(other), other.json.errors[0].path], [400, 40001, '/replaces'])
    assert.match(other.json.msg, new RegExp(second.chat_id))
    assert.equal((await messagesOf(ada, talk)).length, 4)
    const run = await dataOf(api.get(`workflow/runs/${first.run_id}`))
    assert.equal(run.status, 'stopped')
  })
})

describe('the citations of a turn', () => {
  test('are the passages that its replies refer to, for its visitor alone', async () => {
    const base = await makeBase(api, { name: 'Rules' })
    const texts = {
      'holidays.md': 'Everybody has 30 days of holiday.',
      'lunch.md': 'Lunch is a holiday at noon.',
    }
    await addTexts(api, base, texts)
    const agent = await makeAgent(api, {}, { access: 'public', learn: { [base]: {} } })
    model.play(() => ({ pieces: ['30 days', ' [1].'] }))
    const ada = await visitor(agent)
    const talk = await openTalk(ada, agent)
    const { chat_id, feedback } = await say(ada, talk, 'holiday')
    const turn = (await ada.get(`conversation/turn?${query(talk, { chat_id })}`)).json
    assert.deepEqual([turn.status, turn.feedback], ['done', feedback])
    const [cited, ...others] = turn.citations
    assert.deepEqual([others.length, cited.index, cited.message_id], [0, 1, feedback[0].message_id])
    assert.equal(texts[cited.file_name as keyof typeof texts], cited.content)
    const otherVisitor = await visitor(agent)
    assert.equal((await otherVisitor.get(`conversation/turn?${query(talk, { chat_id })}`)).status, 404)
    assert.equal((await ada.get(`conversation/turn?${query(talk, { chat_id: 'chat_x' })}`)).status, 404)
  })
})

describe('files of visitors', () => {
  test('belong to their conversation: sent and read there, and nowhere else', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    const file = (await upload(ada, talk, 'dot.png', png)).json
    assert.deepEqual([file.code, file.mime_type, file.size], [0, 'image/png', png.length])
    const image = { data_type: 'image', file_list: [file.file_id] }
    const otherTalk = await openTalk(ada, agentId)
    const elsewhere = await send(ada, otherTalk, '', image)
    assert.deepEqual([...outcome(elsewhere), elsewhere.json.errors[0].path], [400, 40001, '/file_list/0'])
    const otherVisitor = await visitor()
    const theirs = await openTalk(otherVisitor, agentId)
    assert.equal((await send(otherVisitor, theirs, '', image)).status, 400)
    const sent = await say(ada, talk, '', image)
    const place = (of: Talk) =>
      `conversation/file?${query(of, { message_id: sent.message_id, file_id: file.file_id })}`
    const read = await ada.bytes(place(talk))
    assert.deepEqual([read.status, read.headers.get('content-type')], [200, 'image/png'])
    assert.deepEqual(read.bytes, png)
    assert.match(read.headers.get('content-disposition') ?? '', /dot\.png/)
    assert.equal((await otherVisitor.get(place(talk))).status, 404)
    assert.equal((await ada.get(place(otherTalk))).status, 404)
    assert.equal((await ada.get(`files/${file.file_id}`)).status, 401)
    const workspaceFile = (await api.upload('private.txt', 'inside')).json.data.file_id
    const anonymous = api.as(undefined)
    for (const [client, place] of [
      [ada, talk],
      [anonymous, await openTalk(anonymous, agentId)],
    ] as const) {
      const foreign = await send(client, place, '', { data_type: 'file', file_list: [workspaceFile] })
      assert.deepEqual([...outcome(foreign), foreign.json.errors[0].path], [400, 40001, '/file_list/0'])
    }
    const runner = (
      await dataOf(api.post('token/create', { name: 'r', role: 'runner', agent_ids: [agentId] }))
    ).token
    assert.deepEqual((await api.as(runner).bytes(place(talk))).bytes, png)
  })

  test('are all the documents that a knowledge base can read', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    const documents: [name: string, content: string | Uint8Array][] = [
      ['letter.rtf', '{\\rtf1 Dear Ada}'],
      ['mail.eml', 'From: a@example.org\r\nSubject: Hello\r\n\r\nText'],
      ['data.jsonl', '{"a":1}\n'],
      ['old.doc', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])],
      ['scan.tiff', Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(64)])],
    ]
    for (const [name, content] of documents)
      assert.equal((await upload(ada, talk, name, content)).status, 200, name)
  })

  test('are limited in size, number and type', async () => {
    const ada = await visitor()
    const talk = await openTalk(ada, agentId)
    const large = await upload(ada, talk, 'large.txt', Buffer.alloc((20 << 20) + 1, 'x'))
    assert.deepEqual(outcome(large), [413, 41301])
    for (const [name, content] of [
      ['run.exe', Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0', 'latin1')],
      ['unknown.bin', Buffer.from([0, 1, 2, 3, 4, 5, 250])],
      ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'],
    ] as const) {
      const refused = await upload(ada, talk, name, content)
      assert.deepEqual([...outcome(refused), refused.json.errors[0].path], [415, 41501, '/file'], name)
    }
    for (let count = 0; count < 49; count++)
      assert.equal((await upload(ada, talk, `${count}.txt`, String(count))).status, 200)
    const uploadOnce = (key: string) =>
      api.call('POST', `conversation/upload?${query(talk, { name: 'last.txt' })}`, 'last', {
        headers: { 'content-type': 'application/octet-stream', 'idempotency-key': key },
      })
    const last = await uploadOnce('last')
    assert.equal((await uploadOnce('last')).text, last.text)
    for (const more of [await uploadOnce('more'), await upload(ada, talk, 'more.txt', 'more')])
      assert.equal(more.json.reason, 'quota_exceeded')
    assert.equal(last.status, 200)
  })

  test('are limited in total however many arrive at the same time', async () => {
    const small = await startTestServer({ DEMO: 'off', VISITOR_STORAGE_BYTES: '10' })
    try {
      const agent = await makeAgent(small.api, {}, { access: 'public' })
      const talk = await openTalk(small.api.as(undefined), agent)
      const address = `${small.base}/api/v1/conversation/upload?${query(talk, { name: 'a.txt' })}`
      const begin = async (content: string) => {
        const { promise, resolve } = Promise.withResolvers<string>()
        const upload = request(address, { method: 'POST' }, async answer => resolve(await text(answer)))
        upload.setHeader('content-type', 'application/octet-stream')
        upload.flushHeaders()
        upload.write(content)
        return () => {
          upload.end()
          return promise
        }
      }
      const uploads = [await begin('ten bytes.'), await begin('ten more..')]
      const reasons: (string | undefined)[] = []
      for (const finish of uploads) reasons.push(JSON.parse(await finish()).reason)
      assert.deepEqual(reasons, [undefined, 'quota_exceeded'])
    } finally {
      await small.stop()
    }
  })

  test('are limited in total, and can be turned off', async () => {
    const small = await startTestServer({ DEMO: 'off', VISITOR_STORAGE_BYTES: '10' })
    const off = await startTestServer({ DEMO: 'off', VISITOR_STORAGE_BYTES: '0' })
    try {
      for (const { api: own } of [small, off]) {
        const agent = await makeAgent(own, {}, { access: 'public' })
        const anonymous = own.as(undefined)
        const talk = await openTalk(anonymous, agent)
        const first = await upload(anonymous, talk, 'a.txt', 'ten bytes.')
        const second = await upload(anonymous, talk, 'b.txt', 'x')
        assert.deepEqual(
          [first.json.reason ?? 'stored', second.json.reason],
          [own === small.api ? 'stored' : 'quota_exceeded', 'quota_exceeded'],
        )
        const { message_types } = await dataOf(anonymous.get(`agent/profile?agent_id=${agent}`))
        assert.equal(message_types.includes('image'), own === small.api)
      }
    } finally {
      await Promise.all([small.stop(), off.stop()])
    }
  })
})

describe('pages of other origins', () => {
  const from = (origin: string) => ({ headers: { origin } })
  const preflight = (path: string, origin: string) =>
    api.as(undefined).call('OPTIONS', path, undefined, {
      headers: { origin, 'access-control-request-method': 'POST' },
    })

  test('get their preflights answered without a token', async () => {
    for (const path of ['conversation/chat', 'conversation/create', 'agent/profile', 'conversation/upload']) {
      const { status, headers } = await preflight(path, 'https://shop.example')
      assert.equal(status, 204, path)
      assert.equal(headers.get('access-control-allow-origin'), 'https://shop.example')
      assert.match(headers.get('access-control-allow-headers') ?? '', /content-type.*x-visitor/)
      assert.match(headers.get('access-control-allow-methods') ?? '', /GET|POST/)
    }
    assert.equal((await preflight('workflow/update', 'https://shop.example')).status, 401)
  })

  test('may send the headers of the OpenAI package', async () => {
    const allowedFor = async (asked: string) => {
      const { headers } = await api.as(undefined).call('OPTIONS', '/v1/chat/completions', undefined, {
        headers: { origin: 'https://shop.example', 'access-control-request-headers': asked },
      })
      return (headers.get('access-control-allow-headers') ?? '').split(', ')
    }
    const sent = ['authorization', 'content-type', 'x-stainless-lang', 'x-stainless-os', 'user-agent']
    const allowed = await allowedFor(sent.join(','))
    assert.deepEqual(
      sent.filter(name => !allowed.includes(name)),
      [],
    )
    assert.equal(new Set(allowed).size, allowed.length)
    const usual = await allowedFor('')
    assert.ok(usual.includes('x-visitor'))
    for (const asked of ['x y', 'b@d, "e"', `x-${'a'.repeat(3000)}`])
      assert.deepEqual(await allowedFor(asked), usual)
  })

  test('may list models and get earlier responses with a runner token', async () => {
    const shop = 'https://shop.example'
    const token = { name: 'w', role: 'runner', agent_ids: [agentId] }
    const runner = api.as((await dataOf(api.post('token/create', token))).token)
    const { json } = await runner.post('/v1/responses', { model: agentId, input: 'hi' })
    for (const path of ['/v1/models', `/v1/models/${agentId}`, `/v1/responses/${json.id}`]) {
      const { status, headers } = await preflight(path, shop)
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, shop], path)
      for (const [origin, allowed] of [
        [shop, shop],
        ['https://evil.example', null],
      ] as const) {
        const answer = await runner.get(path, from(origin))
        assert.deepEqual(
          [answer.status, answer.headers.get('access-control-allow-origin')],
          [200, allowed],
          path,
        )
      }
    }
    for (const path of ['/v1/models/workflow/wf_hello', '/v1/models/nobody']) {
      assert.equal((await preflight(path, shop)).status, 204, path)
      const { status, headers } = await runner.get(path, from(shop))
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [404, shop], path)
    }
    const unknown = await runner.post('/v1/responses', { model: 'nobody', input: 'hi' }, from(shop))
    assert.deepEqual([unknown.status, unknown.headers.get('access-control-allow-origin')], [404, shop])
  })

  test('may call an agent that allows them', async () => {
    const anonymous = api.as(undefined)
    for (const origin of ['https://shop.example', 'https://my.blog.example']) {
      const created = await anonymous.post('conversation/create', { agent_id: agentId }, from(origin))
      assert.deepEqual(
        [created.status, created.headers.get('access-control-allow-origin'), created.headers.get('vary')],
        [200, origin, 'Origin'],
      )
      const talk = { agent_id: agentId, conversation_id: created.json.conversation_id }
      const body = { ...talk, data_type: 'text', content: 'hi', stream: 1 }
      const streamed = await anonymous.post('conversation/chat', body, from(origin))
      assert.equal(streamed.headers.get('access-control-allow-origin'), origin)
      const unknown = await anonymous.post(
        'conversation/retrieve',
        { ...talk, conversation_id: 'x' },
        from(origin),
      )
      assert.deepEqual([unknown.status, unknown.headers.get('access-control-allow-origin')], [404, origin])
      const asked = await anonymous.post('/v1/responses', { model: agentId, input: 'hi' }, from(origin))
      assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [200, origin])
    }
  })

  test('are refused by an agent that does not, before anything happens', async () => {
    const anonymous = api.as(undefined)
    for (const origin of [
      ...['https://evil.example', 'http://shop.example', 'https://shop.example.evil.example', 'null'],
      ...['https://blog.example', 'https://evilblog.example', 'https://shop.example:8443'],
    ]) {
      const refused = await anonymous.post('conversation/create', { agent_id: agentId }, from(origin))
      assert.deepEqual(outcome(refused), [403, 40301], origin)
      assert.equal(refused.headers.get('access-control-allow-origin'), null)
      const profile = await anonymous.get(`agent/profile?agent_id=${agentId}`, from(origin))
      assert.deepEqual(outcome(profile), [403, 40301], origin)
      const asked = await anonymous.post('/v1/responses', { model: agentId, input: 'hi' }, from(origin))
      assert.deepEqual([asked.status, asked.json.error.type], [403, 'permission_error'], origin)
    }
  })

  test('of this server need no permission, also behind a proxy', async () => {
    const closed = await makeAgent(api, {}, { access: 'public' })
    const create = (headers: Record<string, string>) =>
      api.as(undefined).post('conversation/create', { agent_id: closed }, { headers })
    assert.equal((await create({ origin: server.base })).status, 200)
    const proxied = { origin: 'https://chat.example', 'sec-fetch-site': 'same-origin' }
    assert.equal((await create(proxied)).status, 200)
    assert.equal((await create({ origin: 'https://chat.example' })).status, 403)
  })

  test('with a token are not refused, but cannot read the response', async () => {
    const created = await api.post('conversation/create', { agent_id: agentId }, from('https://evil.example'))
    assert.deepEqual([created.status, created.headers.get('access-control-allow-origin')], [200, null])
  })

  test('see the conversations of a token, too', async () => {
    const token = { name: 'w', role: 'runner', agent_ids: [agentId], user_id: 'ada' }
    const runner = api.as((await dataOf(api.post('token/create', token))).token)
    const { conversation_id } = await openTalk(runner, agentId)
    const origin = (answer: ApiAnswer) => answer.headers.get('access-control-allow-origin')
    const page = from('https://shop.example')
    for (const [path, body] of [
      ['conversation/list', { agent_id: agentId }],
      ['conversation/rename', { conversation_id, name: 'Tea' }],
      ['conversation/delete', { conversation_id, agent_id: agentId }],
    ] as const) {
      const answer = await runner.post(path, body, page)
      assert.deepEqual([answer.status, origin(answer)], [200, 'https://shop.example'], answer.text)
    }
    assert.equal(
      origin(await runner.post('conversation/list', { agent_id: agentId }, from('https://x.example'))),
      null,
    )
  })

  test('are set as origins, without paths', async () => {
    const update = (allowed_origins: string[]) => api.post('agent/update', { id: agentId, allowed_origins })
    for (const wrong of [
      'example.com',
      'https://a.example/path',
      "https://a.example; script-src 'none'",
      'ftp://a',
    ])
      assert.deepEqual(outcome(await update([wrong])), [400, 40001], wrong)
    const before = (await api.post('agent/gets', { id: [agentId] })).json.agents[agentId].data.allowed_origins
    const { allowed_origins } = await dataOf(update(['https://a.example:443', 'https://a.example', '*']))
    assert.deepEqual(allowed_origins, ['https://a.example', '*'])
    const open = await api.as(undefined).post('conversation/create', { agent_id: agentId }, from('null'))
    assert.equal(open.status, 200)
    await update(before)
  })
})
