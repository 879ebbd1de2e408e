import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { demoTexts } from '../../src/demo/demo-texts.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { rounds } from '../support/rounds.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { launchServer, type ServerProcess, spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'

// Own process: most of its time goes into other processes, beside which others can run.

const environment = { DEMO: 'on', BOOTSTRAP_TOKEN: 'a-token-for-all-of-them' }

interface Answer {
  code: number
  conversation_id: string
  feedback: { content: string }[]
}

/** Sends no token because the demo agent is public. */
async function ask(server: ServerProcess, content: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Answer> => {
    const answer = await fetch(`${server.base}/api/v1/conversation/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: 'agent_demo', ...body }),
    })
    return (await answer.json()) as Answer
  }
  const { conversation_id } = await post('create', {})
  const answer = await post('chat', { conversation_id, data_type: 'text', content })
  assert.equal(answer.code, 0, JSON.stringify(answer))
  return answer.feedback[0]!.content
}

const demoBase = async ({ api }: ServerProcess) =>
  (await api.post('/api/v1/knowledge', {})).json.data.items[0]

const whenIngested = (server: ServerProcess): Promise<unknown> =>
  until('the documents are ingested', async () => {
    const base = await demoBase(server)
    return base?.status === 'ready' && base.document_count > 3
  })

describe('a demo that is ingested', () => {
  let database: FreshDatabase
  let server: ServerProcess
  before(async () => {
    database = await freshDatabase()
    server = await spawnServer(database, environment)
    // It says that it is ready once its demo is, unless that takes half a minute.
    if (!/The demo documents are still being ingested/.test(server.output()))
      assert.equal((await demoBase(server)).status, 'ready')
    await whenIngested(server)
  })
  after(async () => {
    await server.kill('SIGKILL')
    await database.drop()
  })

  it('quotes a few passages without a model and says how to connect one, in the language of the question', async () => {
    const english = await ask(server, 'How do I make a backup?')
    assert.match(english, /backup/)
    assert.match(english, /\[1\] .+\.md/, 'the answer cites its sources')
    assert.doesNotMatch(english, /> Backup npm/, 'a quote does not repeat its heading')
    assert.match(english, /Connect one on the Models page/)
    assert.ok(english.length < 1400, `a wall of ${english.length} characters`)
    assert.doesNotMatch(english, /模型/)
    const chinese = await ask(server, '怎么备份数据？')
    assert.match(chinese, /备份/)
    assert.match(chinese, /“模型”页/)
  })

  const sections = {
    'How do I connect a language model?': /› Connect a language model$/,
    'Which documents can a knowledge base read?': /› Supported documents$/,
    'How do I make a backup?': /› Backup$/,
    '怎么接入大模型？': /› 连接大模型$/,
    '知识库支持哪些文档格式？': /› 知识库$/,
    'Banyan 怎么备份？': /› 备份和恢复$/,
  }
  it('finds the section of each suggested question first', async () => {
    assert.deepEqual(Object.keys(sections), [...demoTexts.en.questions, ...demoTexts.zh.questions])
    for (const [question, section] of Object.entries(sections)) {
      const [first = ''] = (await ask(server, question)).match(/(?<=^> )\[1\] .+$/m) ?? []
      assert.match(first, section, question)
    }
  })

  it('says that nothing relevant was found instead of quoting weak passages', async () => {
    const english = await ask(server, 'What is the capital of France?')
    assert.match(english, /nothing relevant/)
    assert.doesNotMatch(english, /\[1\]/)
    const chinese = await ask(server, '红烧肉怎么做？')
    assert.match(chinese, /没有找到与问题相关的内容/)
    assert.doesNotMatch(chinese, /\[1\]/)
  })

  it('answers with the configured model from the retrieved passages', async t => {
    const model = await startScriptedModel()
    const configured = await spawnServer(database, { ...environment, ...model.environment })
    t.after(async () => {
      await configured.kill('SIGKILL')
      await model.stop()
    })
    assert.equal(await ask(configured, 'How do I make a backup?'), 'echo: How do I make a backup?')
    assert.match(JSON.stringify(model.calls.chat), /banyan -- backup/, 'the passages reach the model')
  })

  it('is not created again at the next start after its agent was deleted', async () => {
    assert.equal((await server.api.post('/api/v1/agent/delete', { id: 'agent_demo' })).json.code, 0)
    await server.kill('SIGTERM')
    server = await spawnServer(database, environment)
    assert.equal((await server.api.post('/api/v1/agent/list', {})).json.data.total, 0)
  })
})

it('creates one demo when several processes start concurrently, in one language', async t => {
  const database = await freshDatabase()
  const servers = await Promise.all([1, 2].map(() => spawnServer(database, { ...environment, DEMO: 'zh' })))
  t.after(async () => {
    await Promise.all(servers.map(server => server.kill('SIGKILL')))
    await database.drop()
  })
  const { api } = servers[0]!
  const agents = (await api.post('/api/v1/agent/list', {})).json.data
  assert.deepEqual([agents.total, agents.items[0].name], [1, '榕树向导'])
  const { json: workflow } = await api.get('/api/v1/workflow?id=demo')
  assert.doesNotMatch(JSON.stringify(workflow.data), /Search the docs/)
})

it('creates the whole demo at the next start after the first one was killed', async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const folder = join(database.folder, 'files/blobs')
  const contents = (): number =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length
      : 0
  const counts = [4, 1, 8].slice(0, rounds(1))
  for (const count of counts) {
    const earlier = contents()
    const starting = launchServer(database, environment)
    await until(
      `${count} documents are written`,
      async () => contents() >= earlier + count || starting.output().includes('is ready'),
    )
    await starting.kill('SIGKILL')
  }
  const server = await spawnServer(database, environment)
  // A start after a crash does not wait for it.
  await whenIngested(server)
  const agents = (await server.api.post('/api/v1/agent/list', {})).json.data
  assert.equal(agents.total, 1)
  assert.equal((await server.api.post('/api/v1/knowledge', {})).json.data.total, 1)
  const { total } = (await server.api.post('/api/v1/files', {})).json.data
  assert.equal(total, (await server.api.post('/api/v1/knowledge', {})).json.data.items[0].document_count)
  assert.match(await ask(server, 'How do I make a backup?'), /backup/)
  await server.kill('SIGTERM')
})
