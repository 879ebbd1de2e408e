import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, say, send, type Talk } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let agent: string
let alice: ApiClient
let bob: ApiClient
/** A runner that is not bound to a user. */
let backend: ApiClient

before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  const { api } = server
  agent = await makeAgent(api, { workflow_id: await makeWorkflow(api, chain(output('say', 'Hello'))) })
  const runner = async (more: object): Promise<ApiClient> => {
    const body = { name: 'page', role: 'runner', agent_ids: [agent], ...more }
    return api.as((await dataOf(api.post('token/create', body))).token)
  }
  alice = await runner({ user_id: 'alice' })
  bob = await runner({ user_id: 'bob' })
  backend = await runner({})
})
after(() => server.stop())

const list = async (client: ApiClient, body: object = {}): Promise<ApiAnswer['json']> =>
  (await client.post('conversation/list', body)).json

test('a bound token acts for its user, whether or not it names the user', async () => {
  const talk = await openTalk(alice, agent)
  const named = await openTalk(alice, agent, { user_id: 'alice' })
  await say(alice, talk, 'Hi', { user_id: 'alice' })
  const { items } = await list(alice)
  const ids = items.map((item: { conversation_id: string }) => item.conversation_id)
  assert.deepEqual(new Set(ids), new Set([talk.conversation_id, named.conversation_id]))
  assert.ok(items.every((item: { user_id: string }) => item.user_id === 'alice'))
  const runs = await dataOf(alice.get('workflow/runs'))
  assert.deepEqual([runs.total, runs.items[0].user_id], [1, 'alice'])
  assert.equal((await dataOf(alice.get('token/self'))).user_id, 'alice')
})

test('what belongs to another user does not exist for a bound token', async () => {
  const talk = await openTalk(bob, agent)
  const { message_id } = (await say(bob, talk, 'My secret')).feedback[0]
  const [run] = (await dataOf(bob.get(`workflow/runs?conversation_id=${talk.conversation_id}`))).items
  const { conversation_id } = talk
  const absent: Talk = { agent_id: agent, conversation_id: 'conv_absent' }
  const attempts = (of: Talk, id: string): [string, Promise<ApiAnswer>][] => [
    ['chat', send(alice, of, 'Hi')],
    ['retrieve', alice.post('conversation/retrieve', of)],
    ['rename', alice.post('conversation/rename', { conversation_id: of.conversation_id, name: 'Mine' })],
    ['delete', alice.post('conversation/delete', { conversation_id: of.conversation_id })],
    [
      'feedback',
      alice.post('conversation/feedback', {
        conversation_id: of.conversation_id,
        message_id,
        rating: 'like',
      }),
    ],
    ['run', alice.get(`workflow/runs/${id}`)],
    ['events', alice.get(`workflow/runs/${id}/events`)],
    ['stop', alice.post(`workflow/runs/${id}/stop`)],
    ['resume', alice.post(`workflow/runs/${id}/resume`, { answer: 'x' })],
  ]
  const unnamed = ({ text }: ApiAnswer, ...ids: string[]): string =>
    ids.reduce((shown, id) => shown.replaceAll(id, 'ID'), text)
  const reference = attempts(absent, 'run_absent')
  for (const [at, [name, attempt]] of attempts(talk, run.run_id).entries()) {
    const [answer, nothing] = [await attempt, await reference[at]![1]]
    assert.equal(answer.status, 404, `${name}: ${answer.text}`)
    assert.equal(
      unnamed(answer, conversation_id, run.run_id),
      unnamed(nothing, 'conv_absent', 'run_absent'),
      `${name} is told apart from an absent one`,
    )
  }
  assert.equal((await list(alice, { keyword: 'secret' })).total, 0)
  const named = await list(alice, { user_id: 'bob' })
  assert.deepEqual([named.code, named.reason], [40301, 'forbidden'])
  for (const body of [{ ...talk }, { ...(await openTalk(alice, agent)) }])
    assert.equal((await send(alice, body, 'Hi', { user_id: 'bob' })).json.code === 0, false)
  assert.equal(
    (await alice.post('conversation/create', { agent_id: agent, user_id: 'bob' })).json.code,
    40301,
  )
  assert.equal((await messagesOf(bob, talk)).length, 2, 'nothing of it was changed')
})

test('a bound token sends only files that it uploaded for its user', async () => {
  const file = async (client: ApiClient): Promise<string> =>
    (await dataOf(client.upload('note.txt', 'A note'))).file_id
  const talk = await openTalk(alice, agent)
  const sendFile = (id: string) =>
    alice.post('conversation/chat', { ...talk, data_type: 'file', file_list: [id] })
  assert.equal((await sendFile(await file(alice))).json.code, 0)
  for (const other of [bob, backend, server.api]) {
    const refused = await sendFile(await file(other))
    assert.deepEqual([refused.json.code, refused.json.errors[0].path], [40001, '/file_list/0'])
  }
})

test('a runner that is not bound acts for every user of its agents', async () => {
  const talk = await openTalk(backend, agent, { user_id: 'carol' })
  await say(backend, talk, 'Hi')
  const { items } = await list(backend)
  const users = new Set(items.map((item: { user_id: string }) => item.user_id))
  assert.ok(users.has('carol') && users.has('alice') && users.has('bob'))
})

test('only a runner can be bound to a user', async () => {
  const { api } = server
  const create = (body: object) => api.post('token/create', { name: 'x', ...body })
  const editor = await create({ role: 'editor', user_id: 'alice' })
  assert.deepEqual([editor.json.code, editor.json.data.errors[0].path], [40001, '/user_id'])
  assert.equal((await create({ role: 'runner', agent_ids: [agent], user_id: '' })).json.code, 40001)
  const { items } = await dataOf(api.post('token/list', {}))
  assert.deepEqual(
    items
      .map((item: { user_id: string | null }) => item.user_id)
      .filter(Boolean)
      .sort(),
    ['alice', 'bob'],
  )
})
