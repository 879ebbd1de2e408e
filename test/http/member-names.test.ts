import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { edge, extractorKind, graph, node } from '../workflow/graphs.ts'

/** Members that every object inherits, or that a runtime gives a meaning: as names of users' data they are only names. */
const names = [
  'constructor',
  'valueOf',
  'toString',
  '__proto__',
  'hasOwnProperty',
  'prototype',
  'toJSON',
  'then',
  'length',
]

/** A JSON object with these members as its own, `__proto__` too. */
const record = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries)
const each = (value: (name: string) => unknown): Record<string, unknown> =>
  record(names.map(name => [name, value(name)]))
/** Values that fail where they are converted to text carelessly. */
const oddValues = each(name => record([[name, false]]))

describe('names that every object inherits, as names of users’ data', () => {
  let server: TestServer
  let api: ApiClient
  let model: ScriptedModel
  let sink: SinkServer
  before(async () => {
    model = await startScriptedModel()
    sink = await startSinkServer()
    const { EGRESS_ALLOW = '', ...environment } = model.environment
    const allowed = [EGRESS_ALLOW, new URL(sink.origin).host].filter(host => host !== '').join(',')
    server = await startTestServer({ ...environment, EGRESS_ALLOW: allowed })
    api = server.api
  })
  after(async () => {
    await server.stop()
    await model.stop()
    await sink.stop()
  })

  let stored = 0
  async function run(workflow: Graph, inputs: object = {}, id = `w${++stored}`) {
    await dataOf(api.post('workflow/update', { id, workflow }))
    const result = await dataOf(api.post('workflow/run', { id, inputs: { query: 'q', ...inputs } }))
    assert.equal(result.status, 'succeeded', JSON.stringify(result.error))
    return result
  }
  const answerOf = async (...given: Parameters<typeof run>): Promise<string> => (await run(...given)).answer

  test('ids of objects', async () => {
    for (const id of names) {
      assert.equal((await dataOf(api.get(`workflow?id=${id}`))).exist, false)
      await dataOf(api.post('workflow/update', { id, workflow: chain(output('say', id)) }))
      assert.equal((await dataOf(api.get(`workflow?id=${id}`))).exist, true)
      assert.equal((await dataOf(api.post('workflow/run', { id }))).answer, id)
      for (const path of [`workflow/runs/${id}`, `knowledge/${id}`, `files/${id}`])
        assert.equal((await api.get(path)).status, 404, `${path} does not exist`)
      const { json } = await api.post('conversation/retrieve', { agent_id: id, conversation_id: id })
      assert.equal(json.code, 40401)
    }
    const { agents } = await dataOf(api.post('agent/gets', { id: names }))
    assert.deepEqual(
      Object.entries(agents),
      names.map(name => [name, { exist: false }]),
    )
    const { total } = await dataOf(api.post('workflow/list', { page_size: 100 }))
    assert.ok(total >= names.length)
    for (const id of names) await dataOf(api.post('workflow/delete', { id }))
  })

  test('ids of nodes, and positions of nodes', async () => {
    for (const name of names) {
      const workflow = chain(
        node(name, 'template', { template: `by ${name}` }),
        output('say', `{{#${name}.text#}}`),
      )
      const id = `node_${names.indexOf(name)}`
      assert.equal(await answerOf(workflow, {}, id), `by ${name}`)
      const positions = record([[name, { x: 1, y: 2 }]])
      await dataOf(api.post('workflow/layout', { id, positions }))
      assert.deepEqual((await dataOf(api.get(`workflow/layout?id=${id}`))).positions, positions)
      assert.equal((await dataOf(api.post('workflow/debug', { id, node_id: name }))).status, 'succeeded')
    }
    await dataOf(
      api.post('workflow/update', {
        id: 'all',
        workflow: chain(output('say', names.map(name => `{{#${name}.x#}}`).join())),
      }),
    )
    const { warnings } = await dataOf(
      api.post('workflow/check', { workflow: chain(output('say', '{{#constructor.name#}}')) }),
    )
    assert.equal(warnings.length, 1, 'a node that does not exist is reported')
  })

  test('inputs of a run, present and absent', async () => {
    const references = names.map(name => `{{#sys.inputs.${name}#}}`)
    const workflow = chain(output('say', references.join('|')))
    assert.equal(
      await answerOf(
        workflow,
        each(name => `v-${name}`),
      ),
      names.map(name => `v-${name}`).join('|'),
    )
    assert.equal(await answerOf(workflow), names.map(() => '').join('|'), 'absent ones are empty')
    const odd = (await answerOf(workflow, oddValues)).split('|')
    assert.deepEqual(
      odd,
      names.map(name => JSON.stringify(record([[name, false]]))),
    )
    const whole = chain(output('say', '{{#sys.inputs#}}'))
    const { query, files, ...rest } = JSON.parse(await answerOf(whole, oddValues))
    assert.deepEqual([query, files], ['q', []])
    assert.equal(JSON.stringify(rest), JSON.stringify(oddValues))
  })

  test('values in conditions', async () => {
    for (const op of ['equals', 'not_equals', 'contains', 'starts_with', 'empty', 'gt', 'lte', 'in'])
      for (const name of names) {
        const cases = [
          { id: 'constructor', when: [{ left: `{{#sys.inputs.${name}#}}`, op, right: record([[name, 1]]) }] },
          { id: 'toString', when: [] },
        ]
        const workflow = graph(
          [
            node('input', 'input'),
            node('if', 'condition', { cases }),
            output('a', 'yes'),
            output('b', 'no'),
            node('end', 'end'),
          ],
          [
            edge('input', 'if'),
            edge('if', 'a', 'constructor'),
            edge('if', 'b', 'toString'),
            edge('a', 'end'),
            edge('b', 'end'),
          ],
        )
        assert.match(await answerOf(workflow, oddValues), /^(yes|no)$/)
      }
  })

  test('inputs and results of code', async () => {
    const code = `function main(inputs) { return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, value + '!'])) }`
    const references = names.map(name => `{{#code.${name}#}}`).join('|')
    const workflow = chain(
      node('code', 'code', { code, inputs: each(name => name) }),
      output('say', references),
    )
    const { answer, outputs } = await run(workflow)
    assert.equal(answer, names.map(name => `${name}!`).join('|'))
    assert.ok(outputs)
  })

  test('outputs of a run, and inputs of a nested one', async () => {
    const code = `function main() { return ${JSON.stringify(each(name => name))} }`.replace(
      '"__proto__":',
      '["__proto__"]:',
    )
    const { outputs } = await run(chain(node('code', 'code', { code })))
    for (const name of names) assert.equal(Object.getOwnPropertyDescriptor(outputs, name)?.value, name, name)
    await run(chain(output('say', names.map(name => `{{#sys.inputs.${name}#}}`).join('|'))), {}, 'nested')
    const outer = chain(
      node('inner', 'workflow', { workflow_id: 'nested', inputs: each(name => `<${name}>`) }),
    )
    assert.equal(await answerOf(outer), names.map(name => `<${name}>`).join('|'))
  })

  test('outputs that a debugged node reads', async () => {
    await dataOf(
      api.post('workflow/update', {
        id: 'debugged',
        workflow: chain(
          ...names.map(name => node(name, 'template', { template: '' })),
          output('say', names.map(name => `{{#${name}.${name}#}}`).join('|')),
        ),
      }),
    )
    const outputs = each(name => record([[name, `out ${name}`]]))
    const body = { id: 'debugged', node_id: 'say', outputs }
    assert.equal(
      (await dataOf(api.post('workflow/debug', body))).answer,
      names.map(name => `out ${name}`).join('|'),
    )
  })

  test('headers, query parameters and members of a body that are sent', async () => {
    const headers = record(names.map(name => [name, `h-${name}`]))
    const request = node('send', 'http_request', {
      method: 'POST',
      url: `${sink.origin}/x`,
      headers,
      query: each(name => name),
      body: oddValues,
    })
    await run(chain(request))
    const received = sink.received.at(-1)!
    for (const name of names) {
      const at = received.rawHeaders.findIndex(each => each.toLowerCase() === name.toLowerCase())
      assert.equal(received.rawHeaders[at + 1], `h-${name}`, `header ${name}`)
    }
    const { searchParams } = new URL(received.path, sink.origin)
    for (const name of names) assert.equal(searchParams.get(name), name)
    assert.equal(received.body, JSON.stringify(oddValues))
  })

  test('members of a response that is received', async () => {
    sink.answer(() => ({ json: each(name => `got ${name}`) }))
    const request = node('get', 'http_request', { url: `${sink.origin}/x` })
    const references = names.map(name => `{{#get.result.${name}#}}`).join('|')
    assert.equal(
      await answerOf(chain(request, output('say', references))),
      names.map(name => `got ${name}`).join('|'),
    )
    sink.answer(() => undefined)
  })

  test('parameters, classes and answers of a model', async () => {
    const parameters = names.map(name => ({ name, type: 'string', description: name }))
    model.play(() => ({ text: JSON.stringify({ values: each(name => `p-${name}`), reply: 'ok' }) }))
    const extractor = node('ask', extractorKind, { id: 'ask', parameters, instruction: '', role: '' })
    assert.equal(
      await answerOf(chain(extractor, output('say', names.map(name => `{{#ask.${name}#}}`).join('|')))),
      names.map(name => `p-${name}`).join('|'),
    )
    const properties = each(() => ({ type: 'string' }))
    const json_schema = { type: 'object', properties, required: names, additionalProperties: false }
    model.play(() => ({ text: JSON.stringify(each(name => `o-${name}`)) }))
    const asks = llm('model', 'q', { json_schema })
    assert.equal(
      await answerOf(chain(asks, output('say', names.map(name => `{{#model.object.${name}#}}`).join('|')))),
      names.map(name => `o-${name}`).join('|'),
    )
    model.reset()
  })

  test('tools of a model and their arguments', async () => {
    // Underscores around a name are dropped, and eight calls of one answer are executed.
    const tools = names.filter(name => name !== '__proto__')
    model.play(body =>
      body.messages.some(message => message.role === 'tool')
        ? { text: 'done' }
        : { toolCalls: tools.map(name => ({ id: name, name, arguments: each(member => member) })) },
    )
    const parameters = { type: 'object', properties: each(() => ({ type: 'string' })) }
    const sources = tools.map(name => ({
      ...{ type: 'http', name, description: name, method: 'POST', parameters },
      url: `${sink.origin}/${name}`,
    }))
    const before = sink.received.length
    const asks = llm('model', 'q', { '数据源/API工具': sources })
    assert.equal(await answerOf(chain(asks, output('say', '{{#model.text#}}'))), 'done')
    const received = sink.received.slice(before).map(({ path, body }) => [path, body])
    assert.deepEqual(
      received.sort(),
      tools.map(name => [`/${name}`, JSON.stringify(each(member => member))]).sort(),
    )
    model.reset()
  })

  test('memory of an agent, and its tools', async () => {
    const references = names.map(name => `{{#memory.${name}#}}`).join('|')
    const workflow = chain(
      output('say', references),
      node('set', 'variable', { assign: each(name => `m-${name}`) }),
    )
    await dataOf(api.post('workflow/update', { id: 'remembers', workflow }))
    const agent = await dataOf(
      api.post('agent/create', {
        name: 'Remembers',
        memory: record([...names.map(name => [name, { default: `d-${name}` }] as const)]),
        config: {
          workflow_id: 'remembers',
          tools: record(names.map(name => [name, {}])),
          ...each(name => name),
        },
      }),
    )
    const place = (await api.post('conversation/create', { agent_id: agent.id })).json
    const say = async (): Promise<string> => {
      const body = {
        agent_id: agent.id,
        conversation_id: place.conversation_id,
        data_type: 'text',
        content: 'hi',
      }
      const { json } = await api.post('conversation/chat', body)
      assert.equal(json.code, 0, JSON.stringify(json))
      return json.feedback[0].content
    }
    assert.equal(await say(), names.map(name => `d-${name}`).join('|'))
    assert.equal(await say(), names.map(name => `m-${name}`).join('|'))
    const { agents } = await dataOf(api.post('agent/gets', { id: [agent.id] }))
    for (const name of names)
      assert.equal(Object.getOwnPropertyDescriptor(agents[agent.id].data.config, name)?.value, name, name)
    await dataOf(api.post('agent/update', { id: agent.id, config: record([['toString', 'changed']]) }))
  })

  test('metadata of documents, and filters on it', async () => {
    const base = await makeBase(api)
    // Refused with a reason, like the empty name.
    const allowed = names.filter(name => name !== '__proto__')
    const texts = (name: string) => [{ name: `${name}.md`, content: `banyan ${name}` }]
    for (const name of allowed)
      await dataOf(api.post(`knowledge/${base}`, { texts: texts(name), metadata: record([[name, 'yes']]) }))
    await whenIngested(api, base)
    for (const name of allowed) {
      const { items } = await dataOf(
        api.post(`knowledge/${base}/search`, { query: 'banyan', filter: record([[name, 'yes']]) }),
      )
      assert.deepEqual(
        items.map((item: { file_name: string }) => item.file_name),
        [`${name}.md`],
      )
    }
    const refused = await api.post(`knowledge/${base}`, {
      texts: texts('x'),
      metadata: record([['__proto__', 'yes']]),
    })
    assert.equal(refused.json.code, 40001)
  })

  test('columns of tables and members of records', async () => {
    const base = await makeBase(api)
    const csv = `${names.join(',')}\n${names.map(name => `c${name}`).join(',')}\n`
    const json = JSON.stringify([each(name => `j${name}`), oddValues])
    const html = `<table><tr>${names.map(name => `<th>${name}</th>`).join('')}</tr><tr>${names.map(name => `<td>h${name}</td>`).join('')}</tr></table>`
    const front = `---\n${names.map(name => `${name}: f${name}`).join('\n')}\n---\n\n# constructor\n\nmconstructor &constructor; &toString;\n`
    const texts = Object.entries({
      'a.csv': csv,
      'a.json': json,
      'a.jsonl': names.map(name => JSON.stringify(record([[name, `l${name}`]]))).join('\n'),
      'a.html': html,
      'a.md': front,
      constructor: 'nconstructor',
      'a.constructor': 'xconstructor',
    })
    await dataOf(
      api.post(`knowledge/${base}`, { texts: texts.map(([name, content]) => ({ name, content })) }),
    )
    await whenIngested(api, base)
    const { items } = await dataOf(api.get(`knowledge/${base}/files?page_size=50`))
    for (const item of items)
      assert.equal(item.status, 'ready', `${item.name}: ${JSON.stringify(item.error)}`)
    for (const [query, name] of [
      ['ctoString', 'a.csv'],
      ['jvalueOf', 'a.json'],
      ['lconstructor', 'a.jsonl'],
      ['hhasOwnProperty', 'a.html'],
      ['mconstructor', 'a.md'],
    ]) {
      const found = await dataOf(api.post(`knowledge/${base}/search`, { query }))
      assert.equal(found.items[0]?.file_name, name, `${query} is found in ${name}`)
    }
  })

  test('names, types and extensions of files', async () => {
    for (const name of names) {
      for (const file of [name, `a.${name}`]) {
        const { status, json } = await api.upload(file, 'text', name)
        assert.equal(status, 200)
        assert.equal(typeof json.data.mime_type, 'string')
        const { status: read, headers } = await api.bytes(`files/${json.data.file_id}`)
        assert.equal(read, 200)
        assert.doesNotMatch(headers.get('content-type')!, /function|object/)
      }
    }
  })

  test('members of bodies, headers and query parameters of any operation', async () => {
    const body = { id: 'plain', workflow: chain(output('say', 'x')), ...oddValues }
    assert.equal((await api.post('workflow/update', body)).status, 200)
    for (const name of names) {
      for (const [method, path, sent] of [
        ['GET', `workflow?id=plain&${name}=1`, undefined],
        ['GET', `workflow?id=plain&${name}[${name}]=1`, undefined],
        ['POST', 'files', record([[name, record([[name, 1]])]])],
        ['POST', 'workflow/run', { id: 'plain', inputs: { query: 'q' }, ...oddValues }],
        ['GET', `/${name}`, undefined],
        ['GET', name, undefined],
        ['GET', `/assets/${name}`, undefined],
      ] as const) {
        const headers = {
          'X-TraceId': name,
          'Idempotency-Key': name,
          'if-none-match': name,
          'accept-encoding': name,
          range: name,
        }
        const { status } = await api.call(method, path, sent, { headers })
        assert.ok(status < 500, `${method} ${path}: ${status}`)
      }
      const token = await api.as(name).get('token/self')
      assert.equal(token.status, 401)
    }
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })

  test('kinds of nodes and operators that do not exist', async () => {
    for (const name of names) {
      const workflow = {
        nodes: [
          { id: 'a', type: name, data: { type: name, [name]: name } },
          node('c', 'condition', { cases: [{ id: 'x', when: [{ left: 1, op: name, right: 1 }] }] }),
        ],
        edges: [],
      }
      const { status, text } = await api.post('workflow/check', { workflow })
      assert.equal(status, 200, text)
    }
  })
})
