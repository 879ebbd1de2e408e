import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Agent } from '../../src/agents/agent.ts'
import { agentGraph } from '../../src/agents/agent-graph.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { Graph } from '../../src/workflow/graph.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'

const agent = (more: Partial<Agent> = {}): Agent => ({
  ...{ id: 'agent_a', name: 'Butler', intro: 'Knows the house.', memory: {}, learn: {}, config: {} },
  ...{ access: 'private', allowedOrigins: [], createdAt: 1, updatedAt: 1 },
  ...more,
})

const dataOf = (graph: Graph, id: string): Record<string, unknown> => {
  const found = graph.nodes.find(node => node.id === id)
  assert.ok(found, `there is a node ${id}`)
  return found.data
}

const assertRunnable = (graph: Graph): void => {
  assert.deepEqual(atOnce(refuseGraph(graph, nodeKinds, '')), [])
  assert.deepEqual(atOnce(warnGraph(graph, nodeKinds, '')), [])
}

test('a persona is a model between an input and an output', () => {
  const graph = agentGraph(agent({ config: { character_profile: 'You are a pirate.', model: 'm' } }), {
    hasModel: true,
  })
  assertRunnable(graph)
  const llm = dataOf(graph, 'llm')
  assert.equal(llm['system_prompt'], 'You are a pirate.')
  assert.equal(llm['model'], 'm')
  assert.equal(llm['prompt_template'], '{{#sys.query#}}')
  assert.equal(dataOf(graph, 'output')['answer'], '{{#llm.text#}}{{#llm.notice#}}')
})

test('without a profile the name and the intro are used, but not as templates', () => {
  const graph = agentGraph(agent({ intro: 'Says {{#sys.run_id#}}.' }), { hasModel: true })
  assertRunnable(graph)
  const prompt = String(dataOf(graph, 'llm')['system_prompt'])
  assert.match(prompt, /Butler/)
  assert.doesNotMatch(prompt, /\{\{#/)
})

test('the model gets knowledge and tools, and unusable tools are ignored', () => {
  const http = { type: 'http', url: 'https://example.org', method: 'GET' }
  const tools = {
    web_search: {},
    weather: { version: '1', running_config: http },
    vague: {},
    strange: { running_config: { type: 'shell' } },
  }
  const graph = agentGraph(agent({ learn: { kb_a: {}, kb_b: {} }, config: { tools } }), { hasModel: true })
  assert.deepEqual(dataOf(graph, 'llm')['数据源/API工具'], [
    'kb_a',
    'kb_b',
    { type: 'web_search' },
    { name: 'weather', ...http },
  ])
})

test('without a model it shows the passages and says what to configure', () => {
  const graph = agentGraph(agent({ learn: { kb_a: {} } }), { hasModel: false })
  if (nodeKinds.has('knowledge_retrieval')) assertRunnable(graph)
  assert.deepEqual(dataOf(graph, 'retrieve')['knowledge_ids'], ['kb_a'])
  const answer = String(dataOf(graph, 'output')['answer'])
  for (const setting of ['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY', '{{#retrieve.result#}}'])
    assert.ok(answer.includes(setting), setting)
  const nothing = String(dataOf(graph, 'nothing')['answer'])
  assert.match(nothing, /没有找到与问题相关的内容/)
  assert.match(nothing, /nothing relevant/)
  assert.ok(Number(dataOf(graph, 'retrieve')['score_threshold']) > 0.3, 'weak passages are not shown')
})

test('without a model and knowledge the llm node fails and says what to configure', () => {
  dataOf(agentGraph(agent(), { hasModel: false }), 'llm')
})
