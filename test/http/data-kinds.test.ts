import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { makeDocx } from '../support/documents/make-docx.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, wordsOf } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let server: TestServer
let api: ApiClient
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

async function upload(name: string, content: Uint8Array | string): Promise<string> {
  const content_base64 = Buffer.from(content).toString('base64')
  return (await dataOf(api.post('files/upload', { name, content_base64 }))).file_id
}

/** Runs the nodes in a chain, and returns the outputs of the last one. */
async function run(nodes: GraphNode[], inputs: object = {}): Promise<Data> {
  const id = await makeWorkflow(api, chain(...nodes))
  const ended = await dataOf(api.post('workflow/run', { id, inputs }))
  assert.equal(ended.status, 'succeeded', JSON.stringify(ended.error))
  return ended.outputs
}

async function failureOf(nodes: GraphNode[], inputs: object = {}): Promise<string> {
  const id = await makeWorkflow(api, chain(...nodes))
  const ended = await dataOf(api.post('workflow/run', { id, inputs }))
  assert.equal(ended.status, 'failed')
  return ended.error.message
}

describe('files', () => {
  test('their text is extracted, and conditions and lists ask for their type', async () => {
    const letter = await upload('letter.docx', makeDocx(['Dear Ada,', 'the tree is tall.']))
    const notes = await upload('notes.md', '# Roots\n\nThey hang from the branches.')
    const pixel = await upload(
      'pixel.png',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
        'base64',
      ),
    )
    const files = [letter, pixel, notes]
    const documents = node('documents', 'list', {
      items: '{{#sys.inputs.files#}}',
      where: [{ field: 'type', op: 'equals', right: 'document' }],
      sort: { field: 'name', order: 'desc' },
    })
    const read = node('read', 'document_extractor', { files: '{{#documents.result#}}' })
    const outputs = await run([documents, read], { files })
    assert.deepEqual(
      outputs.files.map(({ name }: Data) => name),
      ['notes.md', 'letter.docx'],
    )
    assert.match(outputs.texts[0], /hang from the branches/)
    assert.match(outputs.text, /branches\.\n\n.*Ada,\s+the tree is tall/s)

    const only = node('read', 'document_extractor', { files: '{{#sys.inputs.files.0#}}' })
    assert.match((await run([only], { files: [letter] })).result, /Dear Ada/)
    assert.deepEqual((await run([only])).texts, [])
    assert.match(await failureOf([only], { files: [pixel] }), /pixel\.png cannot be read/)

    const choose = (clause: object) =>
      node('choose', 'condition', { cases: [{ id: 'yes', when: [clause] }, { id: 'no' }] })
    const left = '{{#sys.inputs.files#}}'
    const cases: [object, string][] = [
      [{ left, field: 'type', op: 'contains', right: 'image' }, 'yes'],
      [{ left, field: 'type', op: 'all_in', right: 'image' }, 'no'],
      [{ left: '{{#sys.inputs.files.0#}}', field: 'extension', op: 'equals', right: '.docx' }, 'yes'],
    ]
    for (const [clause, expected] of cases)
      assert.equal((await run([choose(clause)], { files })).case, expected, JSON.stringify(clause))
  })
})

describe('an aggregator', () => {
  test('gives the result of the branch that ran', async () => {
    const nodes = [
      node('input', 'input'),
      node('if', 'condition', {
        cases: [
          { id: 'short', when: [{ left: '{{#sys.query#}}', op: 'equals', right: 'hi' }] },
          { id: 'long' },
        ],
      }),
      node('a', 'template', { template: 'A short one.' }),
      node('b', 'template', { template: 'You said {{#sys.query#}}.' }),
      node('join', 'aggregator', { values: ['{{#a.text#}}', '{{#b.text#}}'] }),
      output('say', '{{#join.text#}}'),
      node('end', 'end'),
    ]
    const edges = [
      edge('input', 'if'),
      edge('if', 'a', 'short'),
      edge('if', 'b', 'long'),
      edge('a', 'join'),
      edge('b', 'join'),
      edge('join', 'say'),
      edge('say', 'end'),
    ]
    const made = await dataOf(api.post('workflow/create', { workflow: graph(nodes, edges) }))
    assert.deepEqual(made.warnings, [])
    const answers = await Promise.all(
      ['hi', 'a banyan'].map(async query => (await runWorkflow(api, made.id, query)).answer),
    )
    assert.deepEqual(answers, ['A short one.', 'You said a banyan.'])
  })
})

/** Adds a letter in every round. */
const growing = (): Graph =>
  chain(
    node('grow', 'code', {
      code: 'function main({ word, letter }) { return { word: word + letter, long: word.length >= 3 } }',
      inputs: { word: '{{#sys.inputs.word#}}', letter: '{{#sys.inputs.letter#}}' },
    }),
  )

describe('a loop', () => {
  const looping = (workflow_id: string, more: object = {}): GraphNode =>
    node('again', 'loop', {
      workflow_id,
      inputs: { letter: '{{#sys.query#}}' },
      variables: { word: 'a' },
      until: { when: [{ left: '{{#loop.long#}}', op: 'equals', right: true }] },
      ...more,
    })

  test('runs a workflow until its condition holds, with a trace of every round', async () => {
    const inner = await makeWorkflow(api, growing())
    const id = await makeWorkflow(
      api,
      chain(looping(inner), output('say', '{{#again.word#}} {{#again.rounds#}}')),
    )
    const ended = await runWorkflow(api, id, 'b')
    assert.equal(ended.answer, 'abbb 3')
    const paths = (await runOf(api, ended.run_id)).nodes.map(({ path }: Data) => path)
    for (const round of [0, 1, 2]) assert.ok(paths.includes(`again/${round}/grow`), paths.join(' '))
    assert.ok(!paths.includes('again/3/grow'))
    assert.equal((await run([looping(inner, { max_rounds: 2 })], { query: 'b' })).word, 'abb')
  })

  test('which calls itself, or whose workflow is missing, fails with the reason', async () => {
    await dataOf(
      api.post('workflow/update', { id: 'circle', workflow: chain(looping('circle', { until: {} })) }),
    )
    const circle = await dataOf(api.post('workflow/run', { id: 'circle' }))
    assert.match(circle.error.message, /calls itself/)
    assert.match(await failureOf([looping('wf_gone')]), /wf_gone|does not exist/)
  })

  test('whose condition no round can meet fails before the first one', async () => {
    const said = await makeWorkflow(api, chain(output('out', 'said')))
    const until = (left: string) => ({ until: { when: [{ left, op: 'equals', right: 'said' }] } })
    assert.match(
      await failureOf([looping(said, until('{{#loop.txt#}}'))]),
      /\{\{#loop\.txt#\}\}, but .* Known are "index", "word", "text", "result"/,
    )
    assert.equal((await run([looping(said, until('{{#loop.text#}}'))])).rounds, 1)
  })

  test('names the failed step once, however deep it is', async () => {
    const failing = await makeWorkflow(api, chain(node('c', 'code', { code: 'function main() { throw 1 }' })))
    const sub = (workflow_id: string): GraphNode => node('s', 'workflow', { workflow_id })
    const around = await makeWorkflow(api, chain(sub(await makeWorkflow(api, chain(sub(failing))))))
    assert.match(await failureOf([sub(around)]), /^s\/child\/s\/child\/s\/child\/c: [^/]+$/)
    const draft = await makeWorkflow(api, graph([node('input', 'input')], []))
    assert.match(await failureOf([sub(draft)]), new RegExp(`${draft}.*cannot run yet`))
  })
})

describe('an iteration', () => {
  test('passes inputs, collects an output, and leaves failed items out', async () => {
    const code =
      'function main({ item, by }) { if (item === 3) throw new Error("three"); return { list: [item * by, item] } }'
    const inner = await makeWorkflow(
      api,
      chain(node('times', 'code', { code, inputs: { item: '{{#sys.item#}}', by: '{{#sys.inputs.by#}}' } })),
    )
    const each = { items: [1, 2, 3], workflow_id: inner, inputs: { by: 10 }, output: 'list' }
    const left = await run([node('each', 'iteration', { ...each, on_item_error: 'remove' })])
    assert.deepEqual(left.result, [
      [10, 1],
      [20, 2],
    ])
    assert.match(left.errors[0].message, /three/)
    const flat = await run([node('each', 'iteration', { ...each, flatten: true })])
    assert.deepEqual(flat.result, [10, 1, 20, 2, null])
    const message = await failureOf([node('each', 'iteration', { ...each, on_item_error: 'stop' })])
    assert.match(message, /Item 2 failed.*three/)
  })

  test('refuses to collect an output that its workflow does not have', async () => {
    const collect = (workflow_id: string, output: string): GraphNode =>
      node('each', 'iteration', { items: [1, 2], workflow_id, output })
    const said = await makeWorkflow(api, chain(output('out', 'said')))
    assert.match(await failureOf([collect(said, 'txt')]), /no output "txt"\. It has "text", "result"/)
    assert.deepEqual((await run([collect(said, 'text')])).result, ['said', 'said'])
    const { nodes, edges } = chain(output('out', 'said'))
    const end = node('end', 'end', { outputs: { answer: '{{#out.text#}}' } })
    const renamed = await makeWorkflow(api, { nodes: [...nodes.slice(0, -1), end], edges })
    assert.match(await failureOf([collect(renamed, 'text')]), /no output "text"\. It has "answer"/)
    assert.deepEqual((await run([collect(renamed, 'answer')])).result, ['said', 'said'])
    const counted = await makeWorkflow(
      api,
      chain(node('count', 'code', { code: 'function main() { return { sum: 1 } }' })),
    )
    assert.match(await failureOf([collect(counted, 'smu')]), /no output "smu"\. It has "result", "sum"/)
  })
})

describe('a Jinja2 template', () => {
  const jinja = (template: string, inputs: object = {}): GraphNode =>
    node('text', 'template', { syntax: 'jinja2', template, inputs })

  test('renders values of the run', async () => {
    const template =
      '{% for each in files %}{{ loop.index }}. {{ each.name }}\n{% endfor %}{{ query | title }}'
    const files = [await upload('one.txt', '1'), await upload('two.txt', '2')]
    const inputs = { files: '{{#sys.inputs.files#}}', query: '{{#sys.query#}}' }
    const { text } = await run([jinja(template, inputs)], { query: 'a banyan', files })
    assert.equal(text, '1. one.txt\n2. two.txt\nA Banyan')
  })

  test('that never ends is stopped while the server serves others', async () => {
    const bombs = [
      '{% for a in range(9999) %}'.repeat(4) + '{% endfor %}'.repeat(4),
      '{% for a in range(999999999) %}x{% endfor %}',
    ]
    const failures = Promise.all(bombs.map(bomb => failureOf([jinja(bomb)])))
    let answered = 0
    const isOver = { value: false }
    void failures.finally(() => {
      isOver.value = true
    })
    while (!isOver.value) {
      await dataOf(api.get('workflow/runs'))
      answered += 1
    }
    for (const message of await failures) assert.match(message, /Jinja2 template was not rendered/)
    assert.ok(answered > 5, `${answered} requests were answered`)
  })
})

describe('a variable', () => {
  test('changes what the conversation remembers, turn by turn', async () => {
    const remember = node('note', 'variable', {
      changes: [
        { name: 'said', op: 'append', value: '{{#sys.query#}}' },
        { name: 'turns', op: 'add', value: 1 },
        { name: 'seen', op: 'set', value: '{{#memory.turns#}}' },
      ],
    })
    const workflow = await makeWorkflow(
      api,
      chain(remember, output('say', '{{#memory.seen#}}: {{#memory.said#}}')),
    )
    const talk = await openTalk(api, await makeAgent(api, { workflow_id: workflow }))
    await say(api, talk, 'one')
    await say(api, talk, 'two')
    assert.equal((await wordsOf(api, talk)).at(-1)![1], '2: ["one","two"]')
  })
})
