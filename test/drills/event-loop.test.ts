import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import type { LoopReport } from '../support/loop-probe.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk, say, send } from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

/** How long one turn of the event loop may take on a machine of the reference speed. */
const maxMilliseconds = 50
/** Two processors of one core share its speed: beside other tests, the same work may take twice its CPU time. */
const maxAttempts = 8
/** What `calibrate` takes on the machine that the limits were chosen on. */
const referenceMilliseconds = 60

/** The CPU time of a fixed computation: a slower or busier machine may take longer for everything. */
function calibrate(): number {
  const text = 'some words '.repeat(900_000)
  const times = Array.from({ length: 10 }, () => {
    const start = process.threadCpuUsage()
    let sum = 0
    for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
    assert.ok(sum > 0)
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  })
  return Math.max(...times)
}

/** The bound holds for SQLite, where statements run on the main thread; PostgreSQL only takes less of it. */
describe('the event loop', { skip: rounds(1) === 1 && 'a part of the long suite', concurrency: 1 }, () => {
  let database: FreshDatabase
  let server: ServerProcess
  let sink: SinkServer
  let api: ApiClient
  let probeFile: string

  before(async () => {
    database = await migratedDatabase()
    probeFile = join(database.folder, 'loop.json')
    sink = await startSinkServer()
    await start()
    // Compiling the code of a path for the first time is not what is measured.
    await api.post('workflow/check', { workflow: chain(output('say', '{{#sys.query#}}')) })
  })
  after(async () => {
    await server.kill('SIGKILL')
    await sink.stop()
    await database.drop()
  })

  async function start(): Promise<void> {
    const probe = join(import.meta.dirname, '../support/loop-probe.ts')
    server = await spawnServer(database, {
      BOOTSTRAP_TOKEN: 'operator-token-of-the-drills',
      LOOP_PROBE_FILE: probeFile,
      NODE_OPTIONS: `--import=${probe} --disable-warning=ExperimentalWarning`,
      EGRESS_ALLOW: new URL(sink.origin).host,
      SECRET_KEY: 'sealing-key-of-the-drills',
    })
    api = server.api
  }

  async function report(): Promise<LoopReport> {
    rmSync(probeFile, { force: true })
    process.kill(server.pid, 'SIGUSR2')
    while (!existsSync(probeFile) || readFileSync(probeFile, 'utf8') === '') await sleep(5)
    return JSON.parse(readFileSync(probeFile, 'utf8')) as LoopReport
  }

  /**
   * Does something while nothing may hold the event loop for longer than the bound. A garbage collection beside other
   * busy processes can take longer once, but what really takes too long does so each time.
   */
  async function watch<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      await report()
      const result = await work()
      // What the work left behind, such as commits and garbage.
      await sleep(300)
      const { cpu, wall } = await report()
      console.log(`${label}: ${cpu.toFixed(0)} ms of CPU time, ${wall.toFixed(0)} ms`)
      const bound =
        maxMilliseconds * (cpu > maxMilliseconds ? Math.max(1, calibrate() / referenceMilliseconds) : 1)
      if (cpu <= bound) return result
      const problem = `${label}: one turn took ${cpu.toFixed(0)} ms, more than ${bound.toFixed(0)} ms`
      assert.ok(attempt < maxAttempts, problem)
    }
  }

  const statusOf = async (answer: Promise<ApiAnswer>): Promise<number> => (await answer).status

  const many = (count: number, of: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => of(at)).join('')

  const clauses = (count: number, clause: object): Graph =>
    chain(
      node('choose', 'condition', {
        cases: [{ id: 'a', match: 'any', when: Array.from({ length: count }, () => clause) }, { id: 'else' }],
      }),
    )

  const run = (id: string, query: string, more: object = {}): Promise<ApiAnswer> =>
    api.post('workflow/run', { id, inputs: { query }, ...more })

  const succeeded = async (id: string, query: string): Promise<ApiAnswer['json']> => {
    const ended = await dataOf(run(id, query, { wait: 300 }))
    assert.equal(ended.status, 'succeeded', JSON.stringify(ended.error))
    return ended
  }

  test('is not blocked by bodies of many small values', async () => {
    const members = many(75_000, at => `,"k${at}":1`)
    const anonymous = api.as(undefined)
    const sent = `{"agent_id":"agent_x"${members}}`
    const type = { headers: { 'content-type': 'application/json' } }
    await watch('an anonymous client sends 75,000 members, ten times', async () => {
      const calls = Array.from({ length: 10 }, () => anonymous.post('conversation/chat', sent, type))
      for (const call of calls) assert.equal(await statusOf(call), 413)
    })
    const deep = `{"agent_id":"agent_x","x":{"a":0${members}}}`
    await watch('the same one level deeper', () => anonymous.post('conversation/chat', deep, type))
    const invalid = `{"agent_id":"agent_x","file_list":[${many(49_000, () => '1,')}1]}`
    await watch('49,000 invalid elements', () => anonymous.post('conversation/chat', invalid, type))
    for (const [name, body] of [
      ['550,000 members', `{"workflow":{"nodes":[],"edges":[]${many(550_000, at => `,"k${at}":1`)}}}`],
      [
        '240,000 members',
        `{"workflow":{"nodes":[],"edges":[]${many(240_000, at => `,"key ${at} of many":1`)}}}`,
      ],
      ['4 million numbers', `{"workflow":{"nodes":[],"edges":[],"x":[0${',0'.repeat(4_000_000)}]}}`],
      ['8 MiB of white space', `{"workflow":{"nodes":[],"edges":[]${' '.repeat((8 << 20) - 100)}}}`],
      ['8 MiB of text', `{"workflow":{"nodes":[],"edges":[],"x":"${'é'.repeat(4_000_000)}"}}`],
      ['8 MiB of escapes', `{"workflow":{"nodes":[],"edges":[],"x":"${'\\n'.repeat(4_000_000)}"}}`],
      ['8 MiB that end early', `{"workflow":{"nodes":[${many(200_000, at => `{"a":${at}},`)}`],
    ] as const)
      await watch(`check of ${name}`, () => api.post('workflow/check', body, type))
    const id = await makeWorkflow(api, chain(output('say', '{{#sys.query#}}')))
    for (const [name, count, objects] of [
      ['49,000 members in one input', 49_000, 1],
      ['five objects in one input', 9700, 5],
    ] as const) {
      const object = `{"a":1${many(count - 1, at => `,"k${at}":1`)}}`
      const inputs = `{"query":"x","data":[${Array.from({ length: objects }, () => object).join()}]}`
      const start = () => api.post('workflow/run', `{"id":"${id}","wait":60,"inputs":${inputs}}`, type)
      await watch(name, () => Promise.all(Array.from({ length: 5 }, start)))
    }
  })

  /** 2,000 nodes, 10,000 edges, just below 8 MiB. */
  function largestGraph(): Graph {
    const ids = Array.from({ length: 1998 }, (_, at) => `node_${at}`)
    const text = `{{#sys.query#}} ${'some words of a template '.repeat(133)}`
    const nodes = ids.map((id, at) =>
      node(id, 'template', {
        title: `Node ${at}`,
        template: at % 3 || at === 0 ? text : `${text} {{#${ids[Math.max(0, at - 1)]}.text#}}`,
        position: { x: at, y: at * 2 },
      }),
    )
    const edges = [edge('input', ids[0]!), edge(ids.at(-1)!, 'end')]
    for (let step = 1; edges.length < 10_000; step++)
      for (let at = 0; at + step < ids.length && edges.length < 10_000; at++)
        edges.push(edge(ids[at]!, ids[at + step]!))
    return graph([node('input', 'input'), ...nodes, node('end', 'end')], edges)
  }

  test('is not blocked by the largest graph', async () => {
    const workflow = largestGraph()
    const size = Buffer.byteLength(JSON.stringify({ id: 'largest', workflow }))
    assert.ok(size > 7.5 * 2 ** 20 && size < 8 * 2 ** 20, `${size} bytes`)
    await watch('check', () => dataOf(api.post('workflow/check', { workflow, outline: true })))
    await watch('update', () => dataOf(api.post('workflow/update', { id: 'largest', workflow })))
    await watch('update again', () => dataOf(api.post('workflow/update', { id: 'largest', workflow })))
    await watch('eight updates at once', () =>
      Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          dataOf(api.post('workflow/update', { id: `copy_${at}`, workflow })),
        ),
      ),
    )
    await watch('get', () => api.get('workflow?id=largest'))
    await watch('check of the stored one', () => dataOf(api.post('workflow/check', { id: 'largest' })))
    await watch('export', () => dataOf(api.post('workflow/export', { id: 'largest' })))
    const document = (await dataOf(api.post('workflow/export', { id: 'largest' }))).document
    await watch('import', () => dataOf(api.post('workflow/import', { document })))
    await watch('rename and rollback', async () => {
      await dataOf(api.post('workflow/update', { id: 'largest', workflow, name: 'another' }))
      await dataOf(api.post('workflow/rollback', { id: 'largest', version: 1 }))
    })
    await watch('delete of many versions', async () => {
      const { version } = await dataOf(api.post('workflow/update', { id: 'changed', workflow }))
      for (let count = 0; count < 40; count++)
        await dataOf(api.post('workflow/rollback', { id: 'changed', version }))
      await dataOf(api.post('workflow/delete', { id: 'changed' }))
    })
    const url = `https://a.test/?${'a={{#'.repeat(500_000)}`
    const request = node('node_5', 'http_request', { url, headers: { Authorization: 'Bearer abcdefgh1234' } })
    const nodes = workflow.nodes.map(each => ({
      ...each,
      data: { ...each.data, template: 'x'.repeat(1500) },
    }))
    const secretive = { ...workflow, nodes: nodes.map(each => (each.id === 'node_5' ? request : each)) }
    await watch('update with credentials', () =>
      dataOf(api.post('workflow/update', { id: 'secretive', workflow: secretive })),
    )
    const { token } = await dataOf(api.post('token/create', { name: 'viewer', role: 'viewer' }))
    await watch('get of a viewer', async () => {
      const { status, text } = await api.as(token).get('workflow?id=secretive')
      assert.ok(status === 200 && !text.includes('abcdefgh1234'))
    })
    await watch('export of a viewer', () => api.as(token).post('workflow/export', { id: 'secretive' }))
    await watch('run', async () => {
      const { status } = await dataOf(run('largest', 'hello', { wait: 300 }))
      assert.ok(['succeeded', 'failed'].includes(status), status)
    })
    await watch('debug of one node', () =>
      api.post('workflow/debug', { id: 'largest', node_id: 'node_5', inputs: { query: 'x' } }),
    )
    const outputs = { node_4: { text: 'x'.repeat(7 << 20) } }
    await watch('debug with large outputs', () =>
      api.post('workflow/debug', { id: 'largest', node_id: 'node_5', inputs: { query: 'x' }, outputs }),
    )
  })

  test('is not blocked by conditions', async () => {
    const contains = { left: '{{#sys.query#}}', op: 'contains', right: 'zz' }
    const status = (workflow: Graph) => statusOf(api.post('workflow/create', { workflow }))
    await watch('100,000 clauses', async () => assert.equal(await status(clauses(100_000, contains)), 413))
    await watch('40,000 clauses', async () => assert.equal(await status(clauses(40_000, contains)), 422))
    const query = 'z0'.repeat(49_500)
    const largest = await makeWorkflow(api, clauses(2000, contains))
    await watch('2,000 clauses over 99,000 characters', () => run(largest, query))
    const less = await makeWorkflow(api, clauses(2000, { left: '{{#sys.query#}}', op: 'lt', right: '5' }))
    await watch('2,000 comparisons of numbers', () => run(less, query))
    const right = `b${'a'.repeat(49_000)}`
    const slow = await makeWorkflow(api, clauses(100, { left: '{{#sys.query#}}', op: 'contains', right }))
    await watch('searches that take quadratic time', () => run(slow, 'a'.repeat(99_000)))
    const eachFirst = Array.from({ length: 1900 }, (_, at) => ({ id: `c${at}`, when: [contains] }))
    const cases = await makeWorkflow(
      api,
      chain(node('choose', 'condition', { cases: [...eachFirst, { id: 'else' }] })),
    )
    await watch('1,900 cases over 99,000 characters', () => run(cases, query))
    const list = await makeWorkflow(api, clauses(500, { left: 'x', op: 'in', right: '{{#sys.query#}}' }))
    await watch('lists of 50,000 elements', () => run(list, 'a,'.repeat(49_000)))
  })

  test('is not blocked by the check of code', async () => {
    const imports = chain(
      node('code', 'code', { language: 'python', code: many(600_000, () => 'import os\n') }),
    )
    const named = {
      prompt_template: 'x',
      '数据源/API工具': Array.from({ length: 19_990 }, (_, at) => `kb_${at % 900}`),
    }
    await watch('20,000 knowledge bases', () =>
      dataOf(api.post('workflow/check', { workflow: chain(node('llm', 'llm', named)) })),
    )
    await watch('600,000 imports', () => dataOf(api.post('workflow/check', { workflow: imports })))
  })

  test('is not blocked by templates', async () => {
    const referring = (count: number) =>
      chain(node('text', 'template', { template: '{{#sys.query#}}'.repeat(count) }))
    await watch('500,000 references', async () =>
      assert.equal(await statusOf(api.post('workflow/create', { workflow: referring(500_000) })), 422),
    )
    const most = await makeWorkflow(api, referring(2000))
    await watch('2,000 references', () => run(most, 'hello'))
    await watch('2,000 references to a long text', () => run(most, 'x'.repeat(99_000)))
    const long = `{{#${'a.'.repeat(3_000_000)}#}}`
    await watch('one reference of 6 MB', () =>
      api.post('workflow/check', { workflow: chain(output('say', long)) }),
    )
    const repeated = (times: number) => chain(output('say', '{{#sys.query#}}'.repeat(times)))
    const id = await makeWorkflow(api, repeated(10))
    await watch('a message of a million characters', () => succeeded(id, 'x'.repeat(99_000)))
    const chinese = await makeWorkflow(api, repeated(12))
    await watch('a message of a million Chinese characters', () => succeeded(chinese, '榕'.repeat(80_000)))
    const tooLong = await makeWorkflow(api, repeated(40))
    const refused = await watch('a message that is too long', () =>
      run(tooLong, '榕'.repeat(80_000), { wait: 300 }),
    )
    assert.match(refused.json.data.error.message, /more than 1 million characters/)
    await watch('a list of runs with long answers', () => api.get('workflow/runs?page_size=100'))
  })

  test('is not blocked by Jinja2, lists and loops', async () => {
    const jinja = (template: string, inputs = {}) =>
      makeWorkflow(api, chain(node('text', 'template', { syntax: 'jinja2', template, inputs })))
    for (const [name, template] of [
      ['an endless loop', '{% for a in range(9999) %}'.repeat(4) + '{% endfor %}'.repeat(4)],
      ['a list of a billion', '{% for a in range(999999999) %}x{% endfor %}'],
      [
        'a long text',
        '{% set ns = namespace(t="x") %}{% for a in range(40) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}',
      ],
      ['4 MB of white space', `${' '.repeat(4_000_000)}{% generation`],
      ['a million brackets', `{{ ${'['.repeat(1_000_000)}`],
    ] as const) {
      const id = await jinja(template)
      const ended = await watch(`Jinja2 with ${name}`, () => dataOf(run(id, 'x', { wait: 300 })))
      assert.equal(ended.status, 'failed', name)
    }
    const text = await jinja('{{ words }}'.repeat(30), { words: '{{#sys.query#}}' })
    await watch('Jinja2 with 3 MB', () => succeeded(text, 'x'.repeat(99_000)))
    const code =
      'function main() { return { list: Array.from({ length: 60000 }, (_, at) => ({ at, key: "k" + ((at * 7919) % 60013) })) } }'
    const make = node('make', 'code', { code, timeout_ms: 60_000 })
    const where = Array.from({ length: 10 }, () => ({ field: 'key', op: 'contains', right: '7' }))
    const pick = { items: '{{#make.list#}}', match: 'any', where, sort: { field: 'key' }, timeout_ms: 60_000 }
    const sorting = await makeWorkflow(api, chain(make, node('pick', 'list', pick)))
    await watch('a list of 60,000 items', () => succeeded(sorting, 'x'))
    const inner = await makeWorkflow(api, chain(node('text', 'template', { template: '{{#sys.query#}}' })))
    const when = Array.from({ length: 500 }, () => ({
      left: '{{#loop.text#}}',
      op: 'contains',
      right: '{{#loop.index#}} no',
    }))
    const again = node('again', 'loop', {
      workflow_id: inner,
      max_rounds: 100,
      until: { match: 'any', when },
    })
    const looping = await makeWorkflow(api, chain(again))
    await watch('100 rounds with 500 conditions', () => succeeded(looping, 'x'.repeat(50_000)))
    const value = { name: 'list', op: 'extend', value: '{{#make.list#}}' }
    const changing = await makeWorkflow(
      api,
      chain(make, node('keep', 'variable', { changes: [value, { name: 'list', op: 'remove_first' }] })),
    )
    await watch('a variable of 60,000 items', () => succeeded(changing, 'x'))
  })

  test('is not blocked by large outputs', async () => {
    const code =
      'function main() { return { text: "é".repeat(3000000), list: Array.from({ length: 60000 }, (_, at) => ({ at })) } }'
    const id = await makeWorkflow(
      api,
      chain(
        node('make', 'code', { code, timeout_ms: 60_000 }),
        node('take', 'code', {
          code: 'function main(inputs) { return inputs }',
          inputs: { list: '{{#make.list#}}' },
          timeout_ms: 60_000,
        }),
        node('keep', 'variable', { assign: { list: '{{#make.list#}}' } }),
      ),
    )
    const { run_id: runId } = await watch('code with large values in and out', () => succeeded(id, 'x'))
    await watch('the run', () => api.get(`workflow/runs/${runId}`))
    await watch('its events', () => api.get(`workflow/runs/${runId}/events`))
    await watch('the list of runs', () => api.get('workflow/runs?page_size=100'))
    sink.answer(() => ({
      json: Array.from({ length: 60_000 }, (_, at) => ({ [`k${at}`]: 'x'.repeat(140) })),
    }))
    const fetching = await makeWorkflow(api, chain(node('get', 'http_request', { url: sink.origin })))
    await watch('a response of 10 MB', () => run(fetching, 'x', { wait: 60 }))
  })

  test('is not blocked by secrets in large outputs', async () => {
    const headers: Record<string, string> = {}
    for (let at = 0; at < 50; at++) {
      await dataOf(api.post('secret/set', { name: `s${at}`, value: `${'a'.repeat(100)}b${at}` }))
      headers[`X-Secret-${at}`] = `{{#secret.s${at}#}}`
    }
    const fetching = chain(node('get', 'http_request', { url: sink.origin, headers, timeout_ms: 300_000 }))
    const id = await makeWorkflow(api, fetching)
    sink.answer(() => ({ json: 'a'.repeat(9_000_000) }))
    await watch('masking one text of 9 MB', () => succeeded(id, 'x'))
    sink.answer(() => ({ json: Array.from({ length: 90_000 }, (_, at) => ({ at, text: 'x'.repeat(60) })) }))
    await watch('masking 90,000 objects', () => succeeded(id, 'x'))
  })

  test('is not blocked by long histories', async () => {
    const agent = await makeAgent(api, {
      workflow_id: await makeWorkflow(
        api,
        chain(...Array.from({ length: 12 }, (_, at) => output(`say${at}`, '{{#sys.query#}}'))),
      ),
    })
    const talk = await openTalk(api, agent)
    for (let at = 0; at < 17; at++) await say(api, talk, '汉'.repeat(80_000))
    await watch('a turn after 204 replies of 80,000 characters', () => say(api, talk, 'hello'))
    await watch('their history', () => messagesOf(api, talk, { limit: 1000 }))
  })

  test('is not blocked by imports, annotations and passages', async () => {
    const agent = await makeAgent(api, { annotation_threshold: 0.9 })
    const load = (content: string) =>
      api.post('annotation/import', { agent_id: agent, format: 'csv', content })
    const wide = `question,answer${many(16_000, at => `,${at.toString(36)}`)}\n${'q,a\n'.repeat(990)}`
    await watch('a header of 16,000 columns', async () => assert.equal(await statusOf(load(wide)), 400))
    const base = await makeBase(api)
    await watch('500,000 lines of golden questions', () =>
      api.post(`knowledge/${base}/golden/import`, {
        format: 'csv',
        content: `question,document\n${'a\n'.repeat(490_000)}`,
      }),
    )
    const credentials = many(1500, at => ` -H 'X-Token: ${at}'`)
    await watch('a curl command with 1,500 credentials', () =>
      api.post('tool/import', { content: `curl https://x.example${credentials}` }),
    )
    const han = (length: number, seed: number): string =>
      many(length, at =>
        String.fromCharCode(0x4e00 + ((seed * 131 + at * at * 17 + at * 7 + seed * seed * at) % 5000)),
      )
    for (let part = 0; part < 2; part++)
      await dataOf(load(`question,answer\n${many(100, at => `${han(2000, part * 100 + at)},a\n`)}`))
    const talk = await openTalk(api, agent)
    await watch('a message that is compared with 200 annotations', () => send(api, talk, han(1000, 999)))
    const [file] = await addTexts(api, base, { 'a.txt': 'words' })
    const add = (at: number) =>
      dataOf(api.post(`knowledge/${base}/files/${file}/chunks/create`, { content: han(10_000, at) }))
    for (let at = 0; at < 10; at++) await add(at)
    await watch('a passage beside ten long ones', () => add(10))
  })

  test('is not blocked by a large run and its recovery', async () => {
    const gate = Promise.withResolvers<undefined>()
    sink.answer(() => gate.promise)
    const code = 'function main() { return { text: "é".repeat(3900000) } }'
    const heavy = Array.from({ length: 7 }, (_, at) =>
      node(`make${at}`, 'code', { code, timeout_ms: 60_000 }),
    )
    const use = heavy.map(({ id }) => `{{#${id}.text#}}`).join('')
    const last = node('wait', 'http_request', { url: sink.origin, timeout_ms: 600_000 })
    const check = node('use', 'condition', {
      cases: [{ id: 'a', when: [{ left: use, op: 'contains', right: 'z' }] }, { id: 'else' }],
    })
    const id = await makeWorkflow(api, chain(...heavy, last, check))
    const waits = async (): Promise<string> => {
      const calls = sink.received.length
      const { run_id: runId } = await dataOf(run(id, 'x', { wait: 0 }))
      await until('the run waits', async () => sink.received.length > calls)
      return runId
    }
    const first = await waits()
    await watch('its trace', () => dataOf(api.get(`workflow/runs/${first}`)))
    await dataOf(api.post(`workflow/runs/${first}/stop`))
    await watch('its recovery', async () => {
      // A run of its own for each attempt: a run fails when the server stops twice during a step.
      const runId = await waits()
      const calls = sink.received.length
      await server.kill('SIGKILL')
      await start()
      // What the start itself takes.
      await report()
      await until('the run waits again', async () => sink.received.length > calls)
      await dataOf(api.post(`workflow/runs/${runId}/stop`))
    })
    gate.resolve(undefined)
  })

  test('is not blocked by uploads and documents', async () => {
    const base64 = Buffer.alloc(23 << 20, 7).toString('base64')
    await watch('a JSON upload of 31 MiB', () =>
      dataOf(api.post('files/upload', { name: 'large.bin', content_base64: base64 })),
    )
    const texts = Array.from({ length: 3 }, (_, at) => ({
      name: `${at}.txt`,
      content: 'some words '.repeat(900_000),
    }))
    const base = await makeBase(api)
    await watch('texts of 30 MB', () => dataOf(api.post(`knowledge/${base}`, { texts })))
    await watch('their ingestion', () => whenIngested(api, base))
    const content = many(1_000_000, at => `${at === 0 ? '' : ','}c${at.toString(36)}`)
    const words = await makeBase(api)
    await watch('a vocabulary of a million words', async () => {
      await dataOf(api.post(`knowledge/${words}`, { texts: [{ name: 'columns.csv', content }] }))
      await whenIngested(api, words)
    })
    await watch('a search in it', () =>
      api.post(`knowledge/${words}/search`, { query: 'c1 c2 '.repeat(600) }),
    )
  })
})
