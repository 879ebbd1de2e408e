import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, wordsOf } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let server: TestServer
let api: ApiClient
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

const saying = (text: string): Graph => chain(output('say', text))
/** A reference that is being typed. */
const broken = saying('{{#ghost.text#}}')

const update = (id: string, workflow: Graph, more: object = {}, client = api) =>
  dataOf(client.post('workflow/update', { id, workflow, ...more }))
const publish = (id: string, more: object = {}) => dataOf(api.post('workflow/publish', { id, ...more }))
const read = async (id: string) => (await dataOf(api.get(`workflow?id=${id}`))).workflow
const listed = async (id: string) => (await dataOf(api.get(`workflow/versions?id=${id}`))).items

describe('published workflows', () => {
  test('once published, the published version runs everywhere, and a draft on request', async () => {
    const id = await makeWorkflow(api, saying('one'))
    const outer = await makeWorkflow(api, chain(node('inner', 'workflow', { workflow_id: id })))
    const each = await makeWorkflow(
      api,
      chain(node('each', 'iteration', { items: [1], workflow_id: id }), output('say', '{{#each.result#}}')),
    )
    const agent = await makeAgent(api, { workflow_id: id })
    const talk = await openTalk(api, agent)
    const { published_version, published_at } = await publish(id, { note: 'First' })
    assert.equal(published_version, 1)
    assert.match(published_at, /^\d{4}-/)
    await update(id, saying('two'))

    const answers = async () => {
      const runs = [id, outer, each].map(async one => (await runWorkflow(api, one, '')).answer)
      await say(api, talk, 'hello')
      return [...(await Promise.all(runs)), (await wordsOf(api, talk)).at(-1)![1]]
    }
    assert.deepEqual(await answers(), ['one', 'one', '["one"]', 'one'])
    for (const [version, answer, used] of [
      ['draft', 'two', 2],
      [2, 'two', 2],
      [1, 'one', 1],
    ] as const) {
      const run = await runWorkflow(api, id, '', { version })
      assert.deepEqual([run.answer, run.version], [answer, used])
      assert.equal((await runOf(api, run.run_id)).version, used)
    }
    assert.equal((await publish(id)).published_version, 2)
    assert.deepEqual(await answers(), ['two', 'two', '["two"]', 'two'])
    assert.equal((await publish(id, { version: 1 })).published_version, 1)
    assert.deepEqual(await answers(), ['one', 'one', '["one"]', 'one'])
    await dataOf(api.post('workflow/unpublish', { id }))
    assert.deepEqual(await answers(), ['two', 'two', '["two"]', 'two'])
  })

  test('the record, the list and the history show the published version', async () => {
    const id = await makeWorkflow(api, saying('one'))
    const before = await api.get(`workflow?id=${id}`)
    assert.deepEqual(
      [before.json.data.workflow.published_version, before.json.data.workflow.published_at],
      [null, null],
    )
    const isListed = async () =>
      (await dataOf(api.post('workflow/list', { published: true, keyword: id }))).items.length
    assert.equal(await isListed(), 0)
    await publish(id, { note: 'First' })
    const tag = before.headers.get('etag')!
    const after = await api.get(`workflow?id=${id}`, { headers: { 'if-none-match': tag } })
    assert.equal(after.status, 200, 'a reader gets the new state')
    assert.equal(after.json.data.workflow.published_version, 1)
    assert.equal(await isListed(), 1)
    // What a writer has edited is the same graph.
    for (const current of [tag, after.headers.get('etag')!]) {
      const { version } = await read(id)
      const saved = await api.post(
        'workflow/update',
        { id, workflow: saying('one') },
        { headers: { 'if-match': current } },
      )
      assert.deepEqual([saved.json.code, saved.json.data.version], [0, version])
    }
    await update(id, saying('two'))
    const stale = { headers: { 'if-match': after.headers.get('etag')! } }
    assert.equal((await api.post('workflow/update', { id, workflow: broken }, stale)).json.code, 40901)
    const [two, one] = await listed(id)
    assert.deepEqual([two.runnable, one.runnable], [true, true])
    assert.deepEqual([two.note, two.published_at, one.note], ['', null, 'First'])
    assert.match(one.published_at, /^\d{4}-/)
  })

  test('a version that cannot run is not published, and the problems are listed', async () => {
    const id = await makeWorkflow(api, broken)
    const refused = await api.post('workflow/publish', { id })
    assert.deepEqual([refused.status, refused.json.code], [422, 42202])
    assert.match(refused.json.data.errors[0].path, /^\/workflow\/nodes\/1\/data\/answer/)
    assert.match(refused.json.message, /not published: \/workflow\/nodes\/1\/data\/answer: /)
    assert.equal((await read(id)).published_version, null)
    assert.equal((await api.post('workflow/publish', { id, version: 9 })).json.code, 40401)
    assert.equal((await api.post('workflow/unpublish', { id: 'wf_none' })).json.code, 40401)
    const long = await api.post('workflow/publish', { id, note: 'x'.repeat(501) })
    assert.equal(long.json.data.errors[0].path, '/note')
    for (const version of ['newest', 0, 1.5])
      assert.equal((await api.post('workflow/run', { id, version })).json.data.errors[0].path, '/version')
  })

  test('an agent keeps answering while its workflow, never published, cannot run, and the run reports it', async () => {
    const id = await makeWorkflow(api, saying('one'))
    const agent = await makeAgent(api, { workflow_id: id })
    const talk = await openTalk(api, agent)
    const outer = await makeWorkflow(api, chain(node('inner', 'workflow', { workflow_id: id })))
    await update(id, broken)
    await update(id, saying('{{#another.text#}}'))
    for (let turn = 0; turn < 2; turn++) await say(api, talk, 'hello')
    const last = (await dataOf(api.get(`workflow/runs?agent_id=${agent}`))).items[0]
    assert.deepEqual([last.answer, last.version, last.skipped_version], ['one', 1, 3])
    assert.equal((await runWorkflow(api, outer, '')).answer, 'one')
    const direct = await api.post('workflow/run', { id })
    assert.equal(direct.json.code, 42202, 'a program that runs the workflow itself learns what is wrong')
    await update(id, saying('two'))
    await say(api, talk, 'hello')
    const next = (await dataOf(api.get(`workflow/runs?agent_id=${agent}`))).items[0]
    assert.deepEqual([next.answer, next.version, next.skipped_version], ['two', 4, null])
  })

  test('a workflow that is deleted and created again is not published, and its versions go on', async () => {
    const id = await makeWorkflow(api, saying('one'))
    await publish(id)
    await dataOf(api.post('workflow/delete', { id }))
    await update(id, saying('new'))
    assert.deepEqual(
      [(await read(id)).published_version, (await runWorkflow(api, id, '')).version],
      [null, 2],
    )
  })
})

test('lists the agents, workflows and triggers that use a workflow, by their newest or published version', async () => {
  const id = await makeWorkflow(api, saying('used'))
  const usedBy = async () =>
    (await dataOf(api.get(`workflow/used_by?id=${id}`))).items.map(
      (user: { kind: string; id: string }) => `${user.kind} ${user.id}`,
    )
  assert.deepEqual(await usedBy(), [])
  const bound = await makeAgent(api, { workflow_id: id })
  const tools = { look: { running_config: { type: 'workflow', id } } }
  const equipped = await makeAgent(api, { tools })
  await makeAgent(api, { character_profile: `Mentions ${id} only` })
  const outer = await makeWorkflow(api, chain(node('inner', 'workflow', { workflow_id: id })))
  await publish(outer)
  await update(outer, saying('no longer'))
  const schedule = { kind: 'schedule', name: 'Nightly', workflow_id: id, schedule: { cron: '0 3 * * *' } }
  const trigger = (await dataOf(api.post('trigger/create', schedule))).id
  const users = [`agent ${bound}`, `agent ${equipped}`, `trigger ${trigger}`, `workflow ${outer}`]
  assert.deepEqual((await usedBy()).sort(), users.sort(), 'the published version still runs it')
  await publish(outer)
  await dataOf(api.post('agent/delete', { id: bound }))
  await dataOf(api.post('trigger/delete', { id: trigger }))
  assert.deepEqual(await usedBy(), [`agent ${equipped}`])
  assert.equal((await api.get('workflow/used_by?id=wf_none')).json.code, 40401)
})

describe('the history of a workflow', () => {
  test('names the author of each version, and what it was restored from', async () => {
    const { token } = await dataOf(api.post('token/create', { name: 'Ada', role: 'editor' }))
    const id = await makeWorkflow(api, saying('one'))
    await update(id, saying('two'), {}, api.as(token))
    await dataOf(api.as(token).post('workflow/rollback', { id, version: 1 }))
    await dataOf(api.post('workflow/note', { id, version: 2, note: 'Two' }))
    const [third, second, first] = await listed(id)
    assert.deepEqual(
      [third.author, third.restored_from, second.author, second.note, second.restored_from],
      ['Ada', 1, 'Ada', 'Two', null],
    )
    assert.notEqual(first.author, 'Ada')
    const one = await dataOf(api.get(`workflow/version?id=${id}&version=2`))
    assert.deepEqual([one.author, one.note], ['Ada', 'Two'])
    assert.equal((await api.post('workflow/note', { id, version: 9, note: '' })).json.code, 40401)
  })

  test('consecutive autosaves of one author are one version, unless it was used, named or published', async () => {
    const id = await makeWorkflow(api, saying('made'))
    const { token } = await dataOf(api.post('token/create', { name: 'Bob', role: 'editor' }))
    const autosave = async (graph: Graph, client = api): Promise<number> =>
      (await update(id, graph, { autosave: true }, client)).version
    const versions = async () => (await listed(id)).map((entry: { version: number }) => entry.version)
    for (const text of ['a', 'b', 'c']) await autosave(saying(text))
    assert.deepEqual(await versions(), [4, 1])
    assert.equal((await api.get(`workflow/version?id=${id}&version=3`)).json.code, 40401)
    assert.equal(await autosave(saying('d'), api.as(token)), 5, 'of another author')
    assert.deepEqual(await versions(), [5, 4, 1])
    await runWorkflow(api, id, '', { version: 'draft' })
    await autosave(saying('e'), api.as(token))
    assert.deepEqual(await versions(), [6, 5, 4, 1], 'a run used it')
    await dataOf(api.post('workflow/note', { id, version: 6, note: 'Good' }))
    await autosave(saying('f'), api.as(token))
    await publish(id)
    await autosave(saying('g'), api.as(token))
    assert.deepEqual(await versions(), [8, 7, 6, 5, 4, 1], 'it was named, and the next one published')
    await autosave(broken, api.as(token))
    await autosave(saying('{{#gone.text#}}'), api.as(token))
    assert.deepEqual(await versions(), [10, 8, 7, 6, 5, 4, 1], 'the newest that can run stays')
    await update(id, saying('h'), {}, api.as(token))
    assert.deepEqual((await versions()).slice(0, 2), [11, 10], 'a save of a program is a version of its own')
  })

  test('a run that waits continues on the graph of an autosave that was replaced', async () => {
    const asking = (name: string) =>
      chain(node('ask', 'question', { question: 'Who?' }), output('say', `${name}: {{#ask.answer#}}`))
    const inner = await makeWorkflow(api, asking('zero'))
    await update(inner, asking('old'), { autosave: true })
    const outer = await makeWorkflow(api, chain(node('inner', 'workflow', { workflow_id: inner })))
    const { run_id, status } = await runWorkflow(api, outer, '')
    assert.equal(status, 'waiting')
    await update(inner, asking('new'), { autosave: true })
    assert.deepEqual(
      (await listed(inner)).map((entry: { version: number }) => entry.version),
      [3, 1],
    )
    const resumed = await dataOf(api.post(`workflow/runs/${run_id}/resume`, { answer: 'Ada' }))
    assert.equal(resumed.answer, 'old: Ada')
  })
})
