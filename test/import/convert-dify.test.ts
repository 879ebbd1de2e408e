import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { typedValue } from '../../src/import/dify/read.ts'
import { parseYaml } from '../../src/kernel/parse-yaml.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { condition } from '../../src/nodes/condition.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'
import { appText, appWith, convert, dataOfNode } from './dify-apps.ts'

describe('a chat app with a graph', () => {
  const app = convert(appText('desk'), { 'ds-1': 'kb_a', 'ds-2': 'kb_b' })
  const data = (id: string) => dataOfNode(app, id)
  const line = (id: string) => app.report.find(each => each.nodeId === id)

  it('becomes an agent that answers by the workflow', () => {
    assert.deepEqual(app.agent, {
      name: 'Service desk',
      intro: 'Answers questions of customers',
      config: {
        workflow_id: 'wf_main',
        avatar: { emoji: '🤖' },
        prologue: 'Welcome!',
        recommendation_question: ['Where is my order?'],
      },
    })
    assert.equal(app.workflow.name, 'Service desk')
  })

  it('keeps the form, the environment and the variables of the conversation', () => {
    const { variables, environment, memory } = data('input') as Record<string, object[]>
    assert.deepEqual(variables, [
      { name: 'language', type: 'text', label: 'Language', required: false, max_length: 20 },
      { name: 'picture', type: 'file', label: 'Picture', required: false },
      { name: 'text_', type: 'paragraph', label: 'Text', required: false },
    ])
    assert.deepEqual(environment, [{ name: 'SHOP_URL', value: 'https://shop.example', description: '' }])
    assert.deepEqual(memory, [{ name: 'topics', default: [], description: 'What the customer asked before' }])
    assert.equal(line('input')?.state, 'changed')
    assert.match(line('input')!.message, /"text" is renamed to "text_"/)
  })

  it('turns branches into cases of edges', () => {
    const edges = app.workflow.graph.edges.map(each => [
      each.source.cell,
      each.target.cell,
      each.data?.['case'],
    ])
    assert.deepEqual(edges, [
      ['input', '1002', undefined],
      ['1002', '1003', 'c_order'],
      ['1002', '1004', 'c_other'],
      ['1003', '1005', undefined],
      ['1004', '1008', undefined],
      ['1005', '1006', 'true'],
      ['1005', '1007', 'false'],
      ['1008', '1009', undefined],
      ['1009', '1010', undefined],
      ['1006', 'end', undefined],
      ['1007', 'end', undefined],
      ['1010', 'end', undefined],
    ])
    const { query, classes, instruction } = data('1002')
    assert.equal(query, '{{#sys.query#}}')
    assert.deepEqual(classes, [
      { id: 'c_order', description: 'about an order' },
      { id: 'c_other', description: 'anything else' },
    ])
    assert.equal(instruction, 'Prefer the first one.')
    assert.match(line('1002')!.message, /not imported: top_p/)
    assert.deepEqual(data('1005')['cases'], [
      {
        id: 'true',
        match: 'all',
        when: [
          { left: '{{#1003.status#}}', op: 'equals', right: '200' },
          { left: '{{#1003.text#}}', op: 'not_empty' },
        ],
      },
      { id: 'false' },
    ])
  })

  it('sends requests with secrets of the workspace', () => {
    const { title: _, desc: __, ...request } = data('1003')
    assert.deepEqual(request, {
      type: 'http_request',
      method: 'POST',
      url: '{{#env.SHOP_URL#}}/orders',
      headers: {
        'X-Language': '{{#input.language#}}',
        'X-Empty': '',
        Authorization: 'Bearer {{#secret.shop_key#}}',
      },
      body: '{"words": "{{#sys.query#}}", "note": "{{#input.text_#}}"}',
      timeout_ms: 7000,
      retry: { times: 2, delay_ms: 200 },
    })
    assert.match(line('')!.message, /set the secret "shop_key"/)
  })

  it('gives a model its passages, examples, history and files', () => {
    const { title: _, desc: __, ...model } = data('1008')
    assert.deepEqual(model, {
      type: 'llm',
      system_prompt:
        'Answer in {{#input.language#}} from: {{#1004.text#}}\n\nUser: What is a refund?\n\nAssistant: Money back.',
      prompt_template: '{{#sys.query#}}',
      temperature: 0.7,
      history_turns: 12,
      attach_files: true,
      files: ['{{#input.picture#}}'],
      '数据源/API工具': [],
    })
    const { knowledge_ids, top_k, score_threshold } = data('1004')
    assert.deepEqual([knowledge_ids, top_k, score_threshold], [['kb_a', 'kb_b'], 4, 0.4])
  })

  it('changes variables of the conversation', () => {
    assert.deepEqual(data('1009')['changes'], [{ name: 'topics', op: 'append', value: '{{#sys.query#}}' }])
  })

  it('reports every node and lost setting', () => {
    const titles = app.report.map(each => [each.title, each.kind, each.state])
    assert.deepEqual(titles.toSorted(), [
      ['', 'note', 'changed'],
      ['Answer', 'llm', 'changed'],
      ['Draft', 'template-transform', 'changed'],
      ['Found?', 'if-else', 'mapped'],
      ['Handbook', 'knowledge-retrieval', 'changed'],
      ['Order', 'http-request', 'changed'],
      ['Remember', 'assigner', 'mapped'],
      ['Say', 'answer', 'mapped'],
      ['Service desk', 'app', 'changed'],
      ['Sorry', 'answer', 'changed'],
      ['Start', 'start', 'changed'],
      ['Status', 'answer', 'mapped'],
      ['Topic', 'question-classifier', 'changed'],
    ])
    assert.match(line('1007')!.message, /\{\{#1099\.text#\}\} does not exist/)
    assert.equal(data('1007')['answer'], 'Not found, {{#sys.user_id#}}.')
    assert.match(line('')!.message, /speech input is a server setting.*instead of gpt-4o/)
    assert.ok(!app.workflow.graph.nodes.some(({ id }) => id === '1011'))
  })

  it('keeps the name of a class, and reports that the opening statement is no template', () => {
    const changed = appText('desk')
      .replaceAll('1099.text', '1002.class_name')
      .replace('Welcome!', 'Hi {{name}}!')
    const other = convert(changed)
    assert.match(String(dataOfNode(other, '1007')['answer']), /\{\{#1002\.description#\}\}/)
    const ofApp = (lines: typeof app.report) => lines.find(each => each.nodeId === '')!.message
    assert.match(ofApp(other.report), /opening statement are not replaced/)
    assert.doesNotMatch(ofApp(app.report), /opening statement/)
  })

  it('asks for the knowledge bases that were not chosen', () => {
    const without = convert(appText('desk'), { 'ds-1': 'kb_a' })
    assert.deepEqual(dataOfNode(without, '1004')['knowledge_ids'], ['kb_a'])
    const { message } = without.report.find(each => each.nodeId === '1004')!
    assert.match(message, /Choose the knowledge base for the data set "ds-2"/)
  })
})

describe('a workflow with an iteration and a loop', () => {
  const app = convert(appText('digest'))
  const [each, grow] = app.children
  const data = (id: string) => dataOfNode(app, id)

  it('takes the variable "query" as the message, and names the outputs of the run', () => {
    assert.equal(app.agent, undefined)
    assert.match(app.report.find(each => each.nodeId === 'input')!.message, /"query" is the message of a run/)
    assert.deepEqual(data('input')['variables'], [
      { name: 'tone', type: 'select', label: 'Tone', required: true, options: ['short', 'long'] },
    ])
    assert.deepEqual(data('split')['inputs'], { text: '{{#input.query#}}' })
    assert.deepEqual(data('split')['on_error'], { default: { parts: [] } })
    assert.deepEqual(data('done'), {
      type: 'end',
      title: 'End',
      desc: '',
      outputs: { digest: '{{#page.text#}}', lines: '{{#each.result#}}' },
    })
    assert.deepEqual(
      app.workflow.graph.edges.map(({ source, target }) => `${source.cell} ${target.cell}`),
      ['input split', 'split each', 'each grow', 'grow page', 'page done'],
    )
  })

  it('runs the nodes of the iteration as a workflow, with values from outside as inputs', () => {
    assert.deepEqual(data('each'), {
      type: 'iteration',
      title: 'Each part',
      desc: '',
      items: '{{#split.parts#}}',
      workflow_id: each!.id,
      inputs: { input_tone: '{{#input.tone#}}', sys_query: '{{#sys.query#}}' },
      output: 'output',
      parallel: 4,
      on_item_error: 'remove',
      flatten: true,
    })
    assert.equal(each!.name, 'Digest · Each part')
    assert.deepEqual(dataOfNode({ workflow: each! }, 'shorten')['inputs'], {
      part: '{{#sys.item#}}',
      index: '{{#sys.index#}}',
      tone: '{{#sys.inputs.input_tone#}}',
      whole: '{{#sys.inputs.sys_query#}}',
    })
    assert.deepEqual(dataOfNode({ workflow: each! }, 'end')['outputs'], { output: '{{#shorten.text#}}' })
  })

  it('keeps the variables of the loop from round to round', () => {
    assert.deepEqual(data('grow'), {
      type: 'loop',
      title: 'Grow',
      desc: '',
      workflow_id: grow!.id,
      variables: { total: 1, step: 3 },
      until: { match: 'any', when: [{ left: '{{#loop.total#}}', op: 'gte', right: '7' }] },
      max_rounds: 9,
    })
    const inner = (id: string) => dataOfNode({ workflow: grow! }, id)
    assert.deepEqual(inner('more')['inputs'], {
      total: '{{#memory.grow_total#}}',
      step: '{{#sys.inputs.step#}}',
    })
    assert.deepEqual(inner('grow_variables')['assign'], { grow_total: '{{#sys.inputs.total#}}' })
    assert.deepEqual(inner('keep')['assign'], { grow_total: '{{#more.sum#}}' })
    assert.deepEqual(inner('end')['outputs'], { total: '{{#memory.grow_total#}}' })
  })
})

describe('an app without a graph', () => {
  const app = convert(appText('concierge'), { 'town-data': 'kb_town' })

  it('becomes an agent with a workflow of one agent node', () => {
    assert.equal(app.agent?.config['prologue'], 'How can I help?')
    assert.deepEqual(dataOfNode(app, 'agent'), {
      type: 'agent',
      title: 'Concierge',
      persona: 'You are a concierge of {{#input.hotel#}}.\n\nThe current time is {{#sys.time#}}.',
      query: '{{#sys.query#}}',
      history_turns: 50,
      tools: [{ type: 'web_search' }],
      knowledge_ids: ['kb_town'],
      max_rounds: 4,
    })
    assert.deepEqual(dataOfNode(app, 'input')['variables'], [
      {
        name: 'hotel',
        type: 'text',
        label: 'Hotel',
        required: false,
        default: 'Grand Hotel',
        max_length: 48,
      },
    ])
  })

  it('names a missing data set once, though its settings and its tools contain it', () => {
    const dataset = { dataset: { enabled: true, id: 'ds-222' } }
    const model_config = {
      dataset_configs: { datasets: { datasets: [dataset] } },
      agent_mode: { tools: [dataset] },
    }
    const file = { app: { name: 'A', mode: 'agent-chat' }, kind: 'app', version: '0.5.0', model_config }
    const notes = convert(JSON.stringify(file)).report.flatMap(each => each.notes)
    const { values } = notes.find(({ code }) => code === 'choose_knowledge')!
    assert.deepEqual(values, { data_sets: '"ds-222"' })
  })
})

describe('a chat app with a prompt of the expert mode', () => {
  const chat = (model_config: object) =>
    convert(
      JSON.stringify({
        app: { name: 'A', mode: 'chat' },
        kind: 'app',
        version: '0.5.0',
        model_config: {
          user_input_form: [{ 'text-input': { variable: 'tone' } }],
          prompt_type: 'advanced',
          pre_prompt: 'Be {{tone}}.',
          ...model_config,
        },
      }),
    )
  const prompts = (model_config: object) => {
    const { system_prompt, prompt_template } = dataOfNode(chat(model_config), 'agent')
    return [system_prompt, prompt_template]
  }

  it('keeps its messages', () => {
    const prompt = [
      { role: 'system', text: 'Answer {{tone}} from {{#context#}}' },
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hi!' },
    ]
    assert.deepEqual(prompts({ chat_prompt_config: { prompt } }), [
      'Answer {{#input.tone#}} from \n\nUser: Hello\n\nAssistant: Hi!',
      '{{#sys.query#}}',
    ])
  })

  it('keeps a single text with its question', () => {
    const prompt = { text: '{{#context#}}{{#pre_prompt#}}\n{{#histories#}}Q: {{#query#}}' }
    const model = { mode: 'completion' }
    assert.deepEqual(prompts({ model, completion_prompt_config: { prompt } }), [
      undefined,
      'Be {{#input.tone#}}.\nQ: {{#sys.query#}}',
    ])
  })

  it('keeps dollar signs of its instructions', () => {
    const completion_prompt_config = { prompt: { text: '{{#pre_prompt#}} End. {{#query#}}' } }
    const pre_prompt = 'It costs $$5 or $&.'
    const [, prompt] = prompts({ pre_prompt, model: { mode: 'completion' }, completion_prompt_config })
    assert.equal(prompt, 'It costs $$5 or $&. End. {{#sys.query#}}')
  })

  it('does without places for passages in a simple prompt', () =>
    assert.deepEqual(prompts({ prompt_type: 'simple', pre_prompt: '{{#context#}}Be brief.' }), [
      'Be brief.',
      '{{#sys.query#}}',
    ]))
})

const lineOf = (app: ReturnType<typeof convert>, id: string) => app.report.find(each => each.nodeId === id)!
const one = (data: object, id = 'n') => {
  const app = convert(appWith({ id, data: { title: 'It', ...data } }))
  return { app, data: dataOfNode(app, id), line: lineOf(app, id), nodes: app.workflow.graph.nodes }
}

describe('fields of a form', () => {
  const field = (more: object) => {
    const file = JSON.parse(appWith())
    file.workflow.graph.nodes[0].data.variables = [{ variable: 'x', ...more }]
    return (dataOfNode(convert(JSON.stringify(file)), 'input')['variables'] as object[])[0]
  }

  it('keep supported settings', () => {
    const required = false
    const number = { name: 'x', type: 'number', required, default: 3 }
    assert.deepEqual(field({ type: 'number', default: '3' }), number)
    assert.deepEqual(field({ type: 'checkbox', default: 1 }), {
      name: 'x',
      type: 'checkbox',
      required,
      default: true,
    })
    const files = { name: 'x', type: 'files', required, max_length: 20 }
    assert.deepEqual(field({ type: 'file-list', max_length: 50, default: ['y'] }), files)
  })

  it('lose an unsupported default, options or name', () => {
    const required = false
    const select = { name: 'x', type: 'select', required, options: ['a', 'b'] }
    assert.deepEqual(field({ type: 'select', options: ['a', 'b', 'a'], default: 'c' }), select)
    assert.deepEqual(field({ type: 'select', options: [] }), { name: 'x', type: 'text', required })
    assert.deepEqual(field({ type: 'text-input', max_length: 2, default: 'abc' }), {
      ...{ name: 'x', type: 'text', required },
      max_length: 2,
    })
    assert.deepEqual(field({ type: 'paragraph', variable: 'a.b c' }), {
      name: 'a_b_c',
      type: 'paragraph',
      required,
    })
  })
})

describe('requests', () => {
  const request = (more: object) =>
    one({ type: 'http-request', method: 'post', url: 'https://x.example', ...more })
  const authorized = (config: object) => request({ authorization: { type: 'api-key', config } })

  it('are authorized as before', () => {
    const headers = (config: object) => authorized(config).data['headers']
    assert.deepEqual(headers({ type: 'basic', api_key: 'user:pässword' }), {
      Authorization: `Basic ${Buffer.from('user:pässword').toString('base64')}`,
    })
    assert.deepEqual(headers({ type: 'basic', api_key: 'dXNlcjpwdw==', header: '' }), {
      Authorization: 'Basic dXNlcjpwdw==',
    })
    assert.deepEqual(headers({ type: 'bearer', api_key: 'k', header: 'X-Auth' }), { 'X-Auth': 'Bearer k' })
    assert.deepEqual(headers({ type: 'custom', api_key: 'k', header: 'X-Key' }), { 'X-Key': 'k' })
  })

  it('keep query parameters that are repeated', () => {
    const { data } = request({ params: 'tag: {{#sys.query#}}\nlang:en\ntag:new' })
    assert.deepEqual(data['query'], { tag: ['{{#sys.query#}}', 'new'], lang: 'en' })
  })

  it('send a value as JSON where the app does', () => {
    const sent = (type: string, value: string, headers = '') =>
      request({ headers, body: { type, data: [{ type: 'text', value }] } }).data
    const { headers, body } = sent('json', '{{#sys.query#}}')
    assert.deepEqual([headers, body], [{ 'Content-Type': 'application/json' }, '{{#sys.query#}}'])
    assert.deepEqual(sent('json', '{{#sys.query#}}', 'content-type: application/ld+json')['headers'], {
      'content-type': 'application/ld+json',
    })
    assert.equal(sent('raw-text', '{{#sys.query#}}')['headers'], undefined)
    assert.equal(sent('json', '{"a": {{#sys.query#}}}')['headers'], undefined)
  })

  it('report that a status is no failure where the app handles failures', () => {
    assert.match(request({ retry_config: { retry_enabled: true } }).line.message, /any status is a result/)
    assert.match(request({ error_strategy: 'fail-branch' }).line.message, /any status is a result/)
    assert.equal(request({}).line.state, 'mapped')
  })

  it('report that references in basic authorization are not encoded', () => {
    const { data, line } = authorized({ type: 'basic', api_key: '{{#sys.user_id#}}:{{#sys.query#}}' })
    assert.deepEqual(data['headers'], { Authorization: 'Basic {{#sys.user_id#}}:{{#sys.query#}}' })
    assert.match(line.message, /encoded in Base64/)
  })
})

describe('single nodes', () => {
  it('keeps an unknown type with its data, and advises what to do', () => {
    const { data, line } = one({ type: 'hologram', depth: 3 })
    const message = 'Banyan has no node for "hologram": replace it with other nodes.'
    assert.deepEqual(data, {
      type: 'unmapped',
      source: 'dify',
      message,
      original: { title: 'It', type: 'hologram', depth: 3 },
      title: 'It',
      desc: '',
    })
    const notes = [{ code: 'no_kind', values: { type: 'hologram' } }]
    assert.deepEqual(line, { nodeId: 'n', title: 'It', kind: 'hologram', state: 'unmapped', message, notes })
  })

  it('keeps the nodes inside a loop that cannot be imported', () => {
    const file = JSON.parse(
      appWith({
        id: 'l',
        data: {
          type: 'loop',
          title: 'Loop',
          loop_variables: [{ label: 'x', value: 1 }],
          break_conditions: [{ variable_selector: ['l', 'x'], comparison_operator: 'resembles', value: '2' }],
        },
      }),
    )
    file.workflow.graph.nodes.push({
      id: 'inner',
      parentId: 'l',
      data: { type: 'answer', title: 'In', answer: 'y' },
    })
    const app = convert(JSON.stringify(file))
    const { original } = dataOfNode(app, 'l') as { original: { nodes: object[] } }
    assert.deepEqual(original.nodes, [{ id: 'inner', data: { type: 'answer', title: 'In', answer: 'y' } }])
    assert.match(app.report.find(each => each.title === 'In')!.message, /inside a node that is not imported/)
  })

  it('filters a list of files before a condition on them', () => {
    const { data, nodes } = one({
      type: 'if-else',
      cases: [
        {
          case_id: 'pictures',
          logical_operator: 'or',
          conditions: [
            {
              comparison_operator: 'contains',
              variable_selector: ['s', 'files_in'],
              sub_variable_condition: {
                logical_operator: 'and',
                conditions: [{ key: 'type', comparison_operator: 'in', value: ['image'] }],
              },
            },
            { comparison_operator: 'exists', variable_selector: ['s', 'files_in'], value: '' },
          ],
        },
      ],
    })
    assert.deepEqual(data['cases'], [
      {
        id: 'pictures',
        match: 'any',
        when: [
          { left: '{{#n_files.result#}}', op: 'not_empty' },
          { left: '{{#input.files_in#}}', op: 'exists' },
        ],
      },
      { id: 'false' },
    ])
    const list = nodes.find(({ id }) => id === 'n_files')!.data
    assert.deepEqual(
      [list['type'], list['items'], list['where']],
      ['list', '{{#input.files_in#}}', [{ field: 'type', op: 'in', right: ['image'] }]],
    )
  })

  it('does not report empty settings of a model as lost', () => {
    const completion_params = { stop: [], seed: null, user: '' }
    assert.equal(one({ type: 'llm', model: { completion_params } }).line.state, 'mapped')
  })

  it('prompts a model in completion mode without a separate question', () => {
    const file = JSON.parse(
      appWith({
        id: 'n',
        data: {
          type: 'llm',
          prompt_template: { text: 'Complete: {{#sys.query#}} {{#histories#}}' },
          memory: { window: { enabled: true, size: 3 } },
        },
      }),
    )
    file.app.mode = 'advanced-chat'
    const app = convert(JSON.stringify(file))
    const { prompt_template, history_turns } = dataOfNode(app, 'n')
    assert.deepEqual([prompt_template, history_turns], ['Complete: {{#sys.query#}} ', 3])
    assert.equal(lineOf(app, 'n').state, 'mapped')
  })

  it('removes placeholders that are no references', () => {
    const { data, line } = one({
      type: 'llm',
      prompt_template: [{ role: 'user', text: 'A{{#context#}}B{{#histories#}}C' }],
    })
    assert.equal(data['prompt_template'], 'ABC')
    assert.match(line.message, /\{\{#histories#\}\} does not exist/)
  })

  it('extracts parameters with a model that answers in JSON', () => {
    const { data, nodes, app } = one({
      type: 'parameter-extractor',
      query: ['sys', 'query'],
      retry_config: { retry_enabled: true, max_retries: 2 },
      error_strategy: 'default-value',
      default_value: [{ key: 'city', type: 'string', value: 'Rome' }],
      parameters: [
        { name: 'city', type: 'string', description: 'where', required: true },
        { name: 'size', type: 'select', options: ['s', 'm'], required: false },
        { name: 'count', type: 'number' },
        { name: 'paid', type: 'bool' },
        { name: 'tags', type: 'array[string]' },
      ],
    })
    const model = nodes.find(({ id }) => id === 'n_model')!.data
    assert.deepEqual(model['json_schema'], {
      type: 'object',
      properties: {
        city: { type: 'string', default: null, description: 'where' },
        size: { type: 'string', default: null, enum: ['s', 'm'] },
        count: { type: 'number', default: null },
        paid: { type: 'boolean', default: null },
        tags: { type: 'array', items: { type: 'string' }, default: null },
      },
    })
    assert.equal(model['prompt_template'], '{{#sys.query#}}')
    assert.deepEqual([model['retry'], model['on_error']], [{ times: 2, delay_ms: 1000 }, 'branch'])
    assert.deepEqual(data['inputs'], { object: '{{#n_model.object#}}', error: '{{#n_model.error#}}' })
    assert.match(String(data['code']), /"city": "",\n {2}"size": "",\n {2}"count": 0,\n {2}"paid": false/)
    assert.match(String(data['code']), /required = \["city"\]/)
    assert.deepEqual([data['retry'], data['on_error']], [undefined, { default: { city: 'Rome' } }])
    const edges = app.workflow.graph.edges.map(each => [
      each.source.cell,
      each.target.cell,
      each.data?.['case'],
    ])
    assert.deepEqual(edges, [
      ['input', 'n_model', undefined],
      ['n', 'e', undefined],
      ['n_model', 'n', undefined],
      ['n_model', 'n', 'error'],
    ])
  })

  it('keeps the error branch of a node, and its references to the error', () => {
    const file = JSON.parse(
      appWith({
        id: 'n',
        data: {
          type: 'http-request',
          title: 'Call',
          url: 'https://a.example',
          error_strategy: 'fail-branch',
        },
      }),
    )
    const answer = '{{#n.error_message#}} ({{#n.error_type#}}) {{#n.body#}}'
    file.workflow.graph.nodes.push({ id: 'f', data: { type: 'answer', title: 'Failed', answer } })
    file.workflow.graph.edges[1].sourceHandle = 'success-branch'
    file.workflow.graph.edges.push({ source: 'n', target: 'f', sourceHandle: 'fail-branch' })
    const app = convert(JSON.stringify(file))
    assert.equal(dataOfNode(app, 'n')['on_error'], 'branch')
    assert.equal(dataOfNode(app, 'f')['answer'], '{{#n.error.message#}} ({{#n.error.reason#}}) {{#n.text#}}')
    assert.deepEqual(
      app.workflow.graph.edges.map(each => [each.source.cell, each.target.cell, each.data?.['case']]),
      [
        ['input', 'n', undefined],
        ['n', 'e', undefined],
        ['n', 'f', 'error'],
        ['f', 'end', undefined],
      ],
    )
  })

  it('maps known tools, keeps those of other workflows and MCP servers to be set, and no others', () => {
    const tool = (more: object) =>
      one({
        type: 'tool',
        provider_type: 'builtin',
        tool_parameters: { query: { type: 'mixed', value: '{{#sys.query#}}' } },
        ...more,
      })
    assert.deepEqual(tool({ tool_name: 'ddgo_search' }).data['query'], '{{#sys.query#}}')
    assert.equal(tool({ tool_name: 'current_time' }).data['template'], '{{#sys.time#}}')
    const workflow = tool({ provider_type: 'workflow', tool_name: 'x', provider_name: 'Other app' })
    assert.deepEqual(
      [workflow.data['workflow_id'], workflow.data['inputs']],
      ['', { query: '{{#sys.query#}}' }],
    )
    assert.match(workflow.line.message, /Import the app "Other app" as well/)
    assert.equal(tool({ provider_type: 'mcp', tool_name: 'send' }).data['tool'], 'send')
    assert.equal(tool({ tool_name: 'paint', provider_name: 'art' }).line.state, 'unmapped')
  })

  it('gives an agent its MCP servers, and keeps tools that it cannot map', () => {
    const { data } = one({
      type: 'agent',
      agent_strategy_name: 'function_calling',
      agent_parameters: {
        instruction: { type: 'constant', value: 'Answer {{#sys.query#}}' },
        query: { type: 'constant', value: '{{#sys.query#}}' },
        mcp_server: { type: 'constant', value: 'https://maps.example/sse' },
        maximum_iterations: { type: 'constant', value: 7 },
        tools: {
          type: 'constant',
          value: [{ enabled: true, tool_name: 'paint', provider_name: 'art', type: 'builtin' }],
        },
      },
    })
    assert.deepEqual(data['tools'], [
      { type: 'mcp', url: 'https://maps.example/sse' },
      {
        type: 'unmapped',
        name: 'paint',
        message:
          'Banyan has no tool "paint" of "art". Replace it with an HTTP request, an MCP tool or a workflow.',
        original: { enabled: true, tool_name: 'paint', provider_name: 'art', type: 'builtin' },
      },
    ])
    assert.equal(data['max_rounds'], 7)
  })

  it('keeps code in its language, and no other', () => {
    const code = 'def main(text): return {"n": len(text)}'
    const variables = [{ variable: 'text', value_selector: ['sys', 'query'] }]
    const { data } = one({ type: 'code', code_language: 'python3', code, variables })
    assert.deepEqual(
      [data['language'], data['code'], data['inputs']],
      ['python', code, { text: '{{#sys.query#}}' }],
    )
    assert.equal(one({ type: 'code', code_language: 'lua', code }).line.state, 'unmapped')
  })

  it('sends forms with files', () => {
    const { data } = one({
      type: 'http-request',
      method: 'post',
      url: 'https://a.example',
      body: {
        type: 'form-data',
        data: [
          { key: 'note', type: 'text', value: '{{#sys.query#}}' },
          { key: 'file', type: 'file', file: ['s', 'files_in'] },
        ],
      },
    })
    assert.deepEqual(data['form'], [
      { name: 'note', value: '{{#sys.query#}}' },
      { name: 'file', file: '{{#input.files_in#}}' },
    ])
  })

  it('knows the number of rounds of a loop', () => {
    const app = convert(
      appWith(
        { id: 'l', data: { type: 'loop' } },
        { id: 'n', data: { type: 'answer', answer: '{{#l.loop_round#}}' } },
      ),
    )
    assert.equal(dataOfNode(app, 'n')['answer'], '{{#l.rounds#}}')
  })

  /** A loop over `t`, a node inside, that ends by these conditions. */
  const loopUntil = (...break_conditions: object[]) => {
    const loop = {
      ...{ type: 'loop', title: 'Loop', start_node_id: 't', break_conditions },
      loop_variables: [
        { label: 'n', var_type: 'number', value: 0 },
        { label: 'max', var_type: 'number', value: 3 },
      ],
    }
    const file = JSON.parse(appWith({ id: 'l', data: loop }))
    file.workflow.graph.nodes.push({ id: 't', parentId: 'l', data: { type: 'template-transform' } })
    const app = convert(JSON.stringify(file))
    return { app, data: dataOfNode(app, 'l'), line: lineOf(app, 'l') }
  }

  it('compares with the values of a round at the end of a loop', () => {
    const { app, data, line } = loopUntil(
      { variable_selector: ['l', 'n'], comparison_operator: '≥', value: '{{#l.max#}}' },
      {
        variable_selector: ['t', 'output'],
        comparison_operator: 'is',
        value: '{{#t.output#}} {{#sys.user_id#}}',
      },
      { variable_selector: ['l', 'gone'], comparison_operator: 'is', value: '1' },
    )
    assert.deepEqual((data['until'] as { when: object[] }).when, [
      { left: '{{#loop.n#}}', op: 'gte', right: '{{#loop.max#}}' },
      { left: '{{#loop.t_output#}}', op: 'equals', right: '{{#loop.t_output#}} {{#sys.user_id#}}' },
      { left: '', op: 'equals', right: '1' },
    ])
    const [child] = app.children
    assert.deepEqual(dataOfNode({ workflow: child! }, 'end')['outputs'], { t_output: '{{#t.text#}}' })
    assert.match(line.message, /{{#l\.gone#}} does not exist/)
  })

  it('keeps secrets with similar names apart', () => {
    const file = JSON.parse(
      appWith({
        id: 'h',
        data: { type: 'http-request', method: 'get', url: 'https://a.test/{{#env.KEY#}}/{{#env.key#}}' },
      }),
    )
    file.workflow.environment_variables = ['KEY', 'key'].map(name => ({ name, value_type: 'secret' }))
    const app = convert(JSON.stringify(file))
    assert.equal(dataOfNode(app, 'h')['url'], 'https://a.test/{{#secret.key#}}/{{#secret.key_2#}}')
    assert.match(lineOf(app, '').message, /set the secret "key_2"/)
  })

  it('keeps values with similar names apart at the end of a loop', () => {
    const { app, data } = loopUntil(
      { variable_selector: ['t', 'output', 'a'], comparison_operator: 'is', value: '1' },
      { variable_selector: ['t', 'output_a'], comparison_operator: 'is', value: '2' },
    )
    const { when } = data['until'] as { when: { left: string }[] }
    const [one, other] = when.map(({ left }) => left.replace('{{#loop.', '').replace('#}}', ''))
    assert.notEqual(one, other)
    const [child] = app.children
    const outputs = dataOfNode({ workflow: child! }, 'end')['outputs']
    assert.deepEqual(Object.keys(outputs as object), [one, other])
  })

  it('filters a list from outside before a loop that it ends', () => {
    const isImage = { conditions: [{ key: 'type', comparison_operator: 'in', value: ['image'] }] }
    const condition = { comparison_operator: 'contains', sub_variable_condition: isImage }
    const { app, data } = loopUntil({ ...condition, variable_selector: ['s', 'files_in'] })
    assert.equal(dataOfNode(app, 'l_files')['items'], '{{#input.files_in#}}')
    assert.deepEqual((data['until'] as { when: object[] }).when, [
      { left: '{{#l_files.result#}}', op: 'not_empty' },
    ])
    assert.ok(
      app.workflow.graph.edges.some(each => each.source.cell === 'l_files' && each.target.cell === 'l'),
    )
    assert.equal(loopUntil({ ...condition, variable_selector: ['l', 'n'] }).line.state, 'unmapped')
  })

  it('passes values with similar names into an iteration', () => {
    const values = [
      { variable: 'deep', value_selector: ['c', 'a', 'b'] },
      { variable: 'flat', value_selector: ['c', 'a_b'] },
      { variable: 'deeper', value_selector: ['c', 'a', 'b'] },
    ]
    const file = JSON.parse(
      appWith(
        { id: 'c', data: { type: 'answer' } },
        { id: 'i', data: { type: 'iteration', start_node_id: 't' } },
      ),
    )
    const inner = { type: 'template-transform', variables: values }
    file.workflow.graph.nodes.push({ id: 't', parentId: 'i', data: inner })
    const app = convert(JSON.stringify(file))
    assert.deepEqual(dataOfNode(app, 'i')['inputs'], { c_a_b: '{{#c.a.b#}}', c_a_b_2: '{{#c.a_b#}}' })
    assert.deepEqual(dataOfNode({ workflow: app.children[0]! }, 't')['inputs'], {
      ...{ deep: '{{#sys.inputs.c_a_b#}}', flat: '{{#sys.inputs.c_a_b_2#}}' },
      deeper: '{{#sys.inputs.c_a_b#}}',
    })
  })

  it('reports that a timestamp is no number here', () =>
    assert.match(one({ type: 'answer', answer: '{{#sys.timestamp#}}' }).line.message, /in the form 20/))

  it('takes 0 and false for empty, as Dify does', async () => {
    const isTaken = async (value: unknown, varType: string, comparison_operator: string) => {
      const conditions = [{ variable_selector: ['s', 'files_in'], varType, comparison_operator }]
      const { data } = one({ type: 'if-else', cases: [{ case_id: 'yes', conditions }] })
      const step = fakeStep({ values: { 'input.files_in': value } })
      return (await outputsOf(condition, step, data))['case'] === 'yes'
    }
    for (const [value, type, isEmpty] of [
      [0, 'number', true],
      [2, 'number', false],
      [false, 'boolean', true],
      [true, 'boolean', false],
      [undefined, 'number', true],
      [null, 'boolean', true],
      ['0', 'string', false],
      ['', 'string', true],
    ] as const) {
      const given = `${JSON.stringify(value)} ${type}`
      assert.equal(await isTaken(value, type, 'empty'), isEmpty, given)
      assert.equal(await isTaken(value, type, 'not empty'), !isEmpty, given)
    }
  })

  it('takes one element of a list before it sorts', () => {
    const list = (more: object) =>
      one({
        type: 'list-operator',
        variable: ['s', 'files_in'],
        order_by: { enabled: true, value: 'desc' },
        ...more,
      }).data
    const { sort, start, limit } = list({ extract_by: { enabled: true, serial: '2' } })
    assert.deepEqual([sort, start, limit], [undefined, 1, 1])
    assert.deepEqual(list({})['sort'], { field: '', order: 'desc' })
  })

  it('assigns in order where a value refers to a variable', () => {
    const item = (name: string, value: string[]) => ({
      variable_selector: ['conversation', name],
      input_type: 'variable',
      operation: 'over-write',
      value,
    })
    const assigned = (...items: object[]) => {
      const file = JSON.parse(appWith({ id: 'n', data: { type: 'assigner', items } }))
      file.workflow.conversation_variables = [{ name: 'a' }, { name: 'b' }]
      const { assign, changes } = dataOfNode(convert(JSON.stringify(file)), 'n')
      return assign ?? changes
    }
    const query = '{{#sys.query#}}'
    assert.deepEqual(assigned(item('a', ['sys', 'query']), item('b', ['conversation', 'a'])), [
      { name: 'a', op: 'set', value: query },
      { name: 'b', op: 'set', value: '{{#memory.a#}}' },
    ])
    assert.deepEqual(assigned(item('a', ['sys', 'query']), item('b', ['sys', 'query'])), {
      a: query,
      b: query,
    })
    assert.deepEqual(assigned(item('b', ['conversation', 'a'])), { b: '{{#memory.a#}}' })
  })

  it('keeps all digits of large integers', () => {
    const yaml = 'id: 687865202956247041\ncount: 2\nmask: 0x10\nlist: [-9223372036854775808]'
    assert.deepEqual(atOnce(parseYaml(yaml)), {
      ...{ id: '687865202956247041', count: 2, mask: 16 },
      list: ['-9223372036854775808'],
    })
    assert.deepEqual(typedValue('[687865202956247041, 7]', 'array[number]'), ['687865202956247041', 7])
  })

  it('reads the JSON text of constants by the type of their variable', () => {
    const loop = {
      type: 'loop',
      loop_variables: [
        { label: 'names', value: '["a"]', var_type: 'array[string]' },
        { label: 'none', value: '', var_type: 'array[string]' },
        { label: 'text', value: '["a"]', var_type: 'string' },
      ],
    }
    const file = JSON.parse(appWith({ id: 'l', data: loop }, { id: 'n', data: { type: 'assigner' } }))
    const item = (name: string, operation: string, value: unknown) => ({
      variable_selector: ['conversation', name],
      input_type: 'constant',
      operation,
      value,
    })
    file.workflow.conversation_variables = [
      { name: 'obj', value_type: 'object', value: {} },
      { name: 'list', value_type: 'array[string]', value: [] },
      { name: 'text', value_type: 'string', value: '' },
    ]
    file.workflow.graph.nodes.find(({ id }: { id: string }) => id === 'n').data.items = [
      item('obj', 'set', '{"k": "{{#sys.query#}}"}'),
      item('text', 'set', '{"k": 1}'),
      item('list', 'append', '1'),
    ]
    const app = convert(JSON.stringify(file))
    assert.deepEqual(dataOfNode(app, 'l')['variables'], { names: ['a'], none: [], text: '["a"]' })
    assert.deepEqual(dataOfNode(app, 'n')['changes'], [
      { name: 'obj', op: 'set', value: { k: '{{#sys.query#}}' } },
      { name: 'text', op: 'set', value: '{"k": 1}' },
      { name: 'list', op: 'append', value: '1' },
    ])
  })

  it('sends what is a file as files of a message, whatever its name', () => {
    const sent = (answer: string) => {
      const image = { type: 'code', code_language: 'python3', code: 'def main(): return {"image": "x"}' }
      const call = { type: 'http-request', url: 'https://a.example' }
      const app = convert(
        appWith(
          { id: 'c', data: image },
          { id: 'h', data: call },
          { id: 'n', data: { type: 'answer', answer } },
        ),
      )
      const { answer: text, file_list } = dataOfNode(app, 'n')
      return [text, file_list]
    }
    assert.deepEqual(sent('{{#c.image#}} {{#c.files#}}'), ['{{#c.image#}} {{#c.files#}}', undefined])
    assert.deepEqual(sent('See {{#h.files#}}{{#s.files_in#}}{{#sys.files#}}'), [
      'See',
      ['{{#h.files#}}', '{{#input.files_in#}}', '{{#sys.files#}}'],
    ])
  })

  it('gives nodes with odd ids new ones', () => {
    const app = convert(
      appWith(
        { id: 'a.b #}}', data: { type: 'template-transform', title: 'One', template: 'x', variables: [] } },
        { id: 'end', data: { type: 'answer', title: 'Two', answer: 'y' } },
        { id: '__proto__', data: { type: 'answer', title: 'Three', answer: 'z' } },
      ),
    )
    assert.deepEqual(
      app.workflow.graph.nodes.map(({ id }) => id),
      ['input', 'node', 'node_1', '__proto__', 'e'],
    )
  })
})

describe('the number of turns, which Dify counts itself', () => {
  const counted = (names: string[]) => {
    const template = { type: 'template-transform', title: 'T', template: '{{ n }}' }
    const variables = [{ variable: 'n', value_selector: ['sys', 'dialogue_count'] }]
    const file = JSON.parse(appWith({ id: 't', data: { ...template, variables } }))
    file.workflow.conversation_variables = names.map(name => ({ name, value_type: 'number', value: 7 }))
    return convert(JSON.stringify(file))
  }

  it('is counted by a node before all others', () => {
    const app = counted([])
    assert.deepEqual(dataOfNode(app, 'input')['memory'], [
      { name: 'dialogue_count', default: 0, description: 'Turns of the conversation, this one included.' },
    ])
    assert.deepEqual(dataOfNode(app, 'count_turns'), {
      type: 'variable',
      title: 'Count turns',
      changes: [{ name: 'dialogue_count', op: 'add', value: 1 }],
    })
    const edges = app.workflow.graph.edges.map(each => `${each.source.cell} ${each.target.cell}`)
    assert.deepEqual(edges, ['input count_turns', 'count_turns t', 't e'])
    assert.deepEqual(dataOfNode(app, 't')['inputs'], { n: '{{#memory.dialogue_count#}}' })
    const { state, message } = app.report.find(each => each.nodeId === 't')!
    assert.deepEqual(
      [state, message],
      ['changed', 'The turns of the conversation are counted by the node "Count turns".'],
    )
  })

  it('has a name of its own', () => {
    const app = counted(['dialogue_count'])
    assert.deepEqual(dataOfNode(app, 't')['inputs'], { n: '{{#memory.dialogue_count_#}}' })
  })
})
