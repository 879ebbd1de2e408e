import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { appText, appWith, convert, dataOfNode } from './dify-apps.ts'

const refuses = (text: string, message: RegExp): void => {
  assert.throws(
    () => convert(text),
    (error: unknown) => {
      assert.ok(error instanceof AppError, String(error))
      assert.equal(error.reason, 'invalid_request')
      assert.equal(error.errors[0]?.path, '/content')
      assert.match(error.message, message)
      return true
    },
  )
}

const changed = (change: (file: ReturnType<typeof JSON.parse>) => void): string => {
  const file = JSON.parse(appWith({ id: 'a', data: { type: 'answer', title: 'A', answer: 'x' } }))
  change(file)
  return JSON.stringify(file)
}

describe('a file that is no app', () => {
  it('is refused with the place of an error in its YAML', () => {
    refuses('app:\n  name: "x\n  mode: workflow\n', /line \d+, column \d+: Missing closing "quote/)
    refuses('a: 1\n---\nb: 2\n', /one YAML document/)
    refuses('', /not an application/)
    refuses('just a text', /not an application/)
    refuses('- 1\n- 2\n', /not an application/)
  })

  it('is refused if its version, mode or kind is unknown', () => {
    refuses(
      appText('digest').replace('version: 0.1.5', 'version: 0.7.0'),
      /version "0\.7\.0".*known are 0\.1 to 0\.6/,
    )
    refuses(appText('digest').replace('version: 0.1.5', 'version: next'), /version "next"/)
    refuses(
      appText('digest').replace('mode: workflow', 'mode: completion'),
      /mode "completion" are not supported/,
    )
    refuses(appText('digest').replace('kind: app', 'kind: rag_pipeline'), /"rag_pipeline"/)
    assert.ok(convert(appText('digest').replace('version: 0.1.5\n', '')).workflow)
  })

  it('is refused if it has no nodes, no start, or an id twice', () => {
    refuses(
      changed(file => (file.workflow.graph.nodes = [])),
      /has no nodes/,
    )
    refuses(
      changed(file => (file.workflow.graph.nodes[0].data.type = 'answer')),
      /no start node/,
    )
    refuses(
      changed(file => (file.workflow.graph.nodes[1].id = 's')),
      /two nodes have the id "s"/,
    )
    refuses(
      changed(file => delete file.workflow.graph.nodes[1].id),
      /a node has no id/,
    )
  })
})

describe('a malicious file', () => {
  it('is refused if its aliases multiply or contain themselves', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 10; level += 1)
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    refuses(lines.join('\n'), /aliases/)
    refuses('app: &a\n  inner: *a\n', /aliases|nested deeper/)
    refuses('app: *unknown\n', /aliases|Unresolved/)
    const anchors = Array.from(
      { length: 200 },
      (_, index) => `a${index}: &a${index} x\nb${index}: *a${index}`,
    )
    refuses(anchors.join('\n'), /more than 100 aliases/)
  })

  it('is refused if it is nested too deeply or has too many values', () => {
    refuses(`app: ${'['.repeat(200)}${']'.repeat(200)}`, /nested deeper/)
    refuses(`app: ${'['.repeat(20_000)}`, /nested deeper|line 1/)
    refuses(`app: ${'['.repeat(40_000)}${']'.repeat(40_000)}`, /nested deeper/)
    refuses(`app: [${'1,'.repeat(limits.importTokens)}]`, /more than 100000 YAML tokens/)
    const many = `[${'1,'.repeat(3000)}]`
    refuses(`a: &a ${many}\nb: [${'*a,'.repeat(99)}]`, /more than 250000 values/)
  })

  it('is refused if nodes run in a circle or contain themselves', () => {
    refuses(
      changed(file => {
        const { nodes, edges } = file.workflow.graph
        nodes.push({ id: 'b', data: { type: 'answer', title: 'B', answer: 'y' } })
        edges.push({ source: 'a', target: 'b' }, { source: 'b', target: 'a' })
      }),
      /run in a circle/,
    )
    refuses(
      changed(file => {
        file.workflow.graph.nodes.push(
          { id: 'i', parentId: 'j', data: { type: 'iteration', title: 'I' } },
          { id: 'j', parentId: 'i', data: { type: 'iteration', title: 'J' } },
        )
      }),
      /contains itself/,
    )
  })

  it('is refused if it has more nodes than a graph may have', () => {
    refuses(
      changed(file => {
        for (let index = 0; index < limits.graphNodes; index += 1)
          file.workflow.graph.nodes.push({ id: `n${index}`, data: { type: 'answer' } })
      }),
      /has 2003 nodes; at most 2000/,
    )
  })

  it('does not grow by repeated places and similar names', () => {
    const long = 'x'.repeat(20_000)
    const chat = convert(
      JSON.stringify({
        app: { name: 'A', mode: 'chat' },
        kind: 'app',
        version: '0.5.0',
        model_config: {
          ...{ prompt_type: 'advanced', pre_prompt: long, model: { mode: 'completion' } },
          completion_prompt_config: { prompt: { text: '{{#pre_prompt#}}'.repeat(1000) } },
        },
      }),
    )
    assert.ok(JSON.stringify(chat.workflow).length < 100_000)
    const context = { enabled: true, variable_selector: ['c', long] }
    const prompt_template = [{ role: 'user', text: '{{#context#}}'.repeat(1000) }]
    const path = (index: number): string =>
      index.toString(2).padStart(10, '0').replaceAll('0', '_').replaceAll('1', '.')
    const inputs = Array.from({ length: 500 }, (_, index) => `{{#c.a${path(index).split('').join('a')}a#}}`)
    const file = JSON.parse(
      appWith(
        { id: 'c', data: { type: 'code', outputs: { [long]: { type: 'string' } } } },
        { id: 'l', data: { type: 'llm', context, prompt_template } },
        { id: 'i', data: { type: 'iteration', start_node_id: 't' } },
      ),
    )
    const answer = { type: 'answer', answer: inputs.join('') }
    file.workflow.graph.nodes.push({ id: 't', parentId: 'i', data: answer })
    const app = convert(JSON.stringify(file))
    assert.ok(JSON.stringify(app.workflow).length < 200_000)
    const passed = Object.keys(dataOfNode(app, 'i')['inputs'] as object)
    assert.equal(passed.length, inputs.length)
    assert.ok(passed.every(name => name.length < 40))
  })

  it('is converted whatever the types of its values are', () => {
    const wrong = [null, 7, true, 'text', [], [[1]], {}, { a: null }]
    for (const type of [
      'llm',
      'if-else',
      'code',
      'tool',
      'agent',
      'http-request',
      'iteration',
      'loop',
      'assigner',
    ])
      for (const value of wrong) {
        const names = [
          'cases',
          'prompt_template',
          'model',
          'variables',
          'items',
          'body',
          'headers',
          'agent_parameters',
        ]
        const more = [
          'loop_variables',
          'tool_parameters',
          'output_selector',
          'vision',
          'memory',
          'retry_config',
        ]
        const data = Object.fromEntries([...names, ...more].map(name => [name, value]))
        const app = convert(appWith({ id: 'n', data: { ...data, type, title: 'N' } }))
        assert.ok(app.workflow.graph.nodes.length >= 3)
      }
  })
})
